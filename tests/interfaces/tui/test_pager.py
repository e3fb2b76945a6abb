from pathlib import Path

import pytest
from tests.interfaces.tui.driving import long

from dejavu.interfaces.tui.pager import page


def test_the_pager_gets_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", f"dd 'of={tmp_path}/read' status=none")
    page(long(8))
    text = (tmp_path / "read").read_text()
    assert "Answer **number 7**" in text
    assert "third" in text


def test_a_pager_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "/nowhere/pager")
    with pytest.raises(OSError, match="pager"):
        page(long(4))
