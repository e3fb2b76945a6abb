from collections.abc import Callable

import pytest
from tests.factories.archive import Result

from dejavu.config.extras import extra_hint
from dejavu.extensions.wire import extra


def test_without_the_extra_the_cure_is_named(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda _name: None)
    result = dejavu("wire", "--", "claude")
    assert (result.code, result.out) == (1, "")
    assert extra_hint("wire") in result.err
