"""The command's own words; what it does is tested in tests/extensions/wire."""

from collections.abc import Callable

import pytest
from tests.factories.archive import Result


def test_an_agent_that_cannot_be_sent_through_is_a_usage_error(
    dejavu: Callable[..., Result],
) -> None:
    pytest.importorskip("h11", reason="needs the extra wire")
    for words in (("--", "amp", "-x", "hi"), ("amp", "-x", "--flag", "hi")):
        result = dejavu("wire", *words)
        assert (result.code, "amp cannot be sent through the proxy" in result.err) == (2, True)
    assert dejavu("wire").code == 2
