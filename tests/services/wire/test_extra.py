from collections.abc import Callable

import pytest
from tests.factories.archive import Result

from dejavu.services.wire import extra


@pytest.mark.parametrize("words", [("wire", "--", "claude"), ("otlp", "--port", "0")])
def test_without_the_extra_the_cure_is_named(
    dejavu: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda _name: None)
    result = dejavu(*words)
    assert (result.code, result.out) == (1, "")
    assert "pip install 'dejavu-capture[wire]'" in result.err
