from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result

from dejavu.archive import Archive
from dejavu.model import Conversation


def test_a_copy_that_opens(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    target = tmp_path / "copy"
    assert dejavu("backup", str(target)).code == 0
    with Archive.open(target, create=False) as copy:
        assert [head.id for head in copy.scan()] == [whole.id for whole in archived]
    assert dejavu("backup", str(target)).code == 2
