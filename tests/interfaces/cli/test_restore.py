from collections.abc import Callable
from pathlib import Path

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
