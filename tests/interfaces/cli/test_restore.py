import io
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result

from dejavu.model import Conversation


def test_a_backup_takes_the_archives_place(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    dejavu("backup", str(copy))
    dejavu("prune", "--agent", "amp", "--yes")
    assert dejavu("restore", str(copy)).code == 0
    assert len(dejavu("list", "--json").rows) == 2


def test_something_else_is_refused(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    assert dejavu("restore", str(tmp_path / "other")).code in (3, 4)
    assert len(dejavu("list", "--json").rows) == 2


def test_a_person_is_asked_before_an_archive_is_replaced(
    dejavu: Callable[..., Result],
    archived: list[Conversation],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dejavu("backup", str(tmp_path / "copy"))
    dejavu("prune", "--agent", "amp", "--yes")
    for answer, words, rows in (("n\n", (), 1), ("", ("-y",), 2)):
        terminal = io.StringIO(answer)
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", terminal)
        result = dejavu("restore", str(tmp_path / "copy"), *words)
        assert ("Replace the archive" in result.err) == (not words)
        assert len(dejavu("list", "--json").rows) == rows
