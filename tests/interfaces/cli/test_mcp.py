"""`dejavu mcp`: without its extra, a sentence that says how to get it."""

from collections.abc import Callable
from importlib.util import find_spec

import pytest
from tests.factories.archive import Result


@pytest.mark.skipif(find_spec("mcp") is not None, reason="the mcp extra is installed")
def test_without_the_extra(dejavu: Callable[..., Result]) -> None:
    result = dejavu("mcp")
    assert result.code == 2
    assert "dejavu-capture[mcp]" in result.err
