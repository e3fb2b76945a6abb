from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.full_disk import largest_file

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


def test_a_full_disk_names_the_copy_and_leaves_nothing(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    target = tmp_path / "below" / "copy"
    target.parent.mkdir()
    with largest_file(4096):
        done = dejavu("backup", str(target))
    assert (done.code, list(target.parent.iterdir())) == (4, [])
    assert done.err.startswith(f"dejavu: {target} could not be written (")


def test_a_folder_that_is_not_there_is_named_without_our_scratch_folder(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    done = dejavu("backup", str(tmp_path / "nowhere" / "copy"))
    assert f"{tmp_path / 'nowhere/copy'} could not be written (No such file" in done.err
    assert ".new" not in done.err
