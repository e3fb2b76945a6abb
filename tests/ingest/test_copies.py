import shutil
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.final_sync import sync_final
from dejavu.ingest.sync import sync_homes
from dejavu.providers import Home


def _own_and_copy(home: Path, tmp_path: Path) -> tuple[Path, Path]:
    path = claude_session(home, "one", "two")
    copy = tmp_path / "old" / path.relative_to(home)
    copy.parent.mkdir(parents=True)
    shutil.copy(path, copy)
    return path, copy


def test_a_copied_home_counts_once(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    _own_and_copy(home, tmp_path)
    dejavu("sync")
    before = dejavu("stats", "--json").json["total"]
    done = dejavu("sync", "--home", str(tmp_path / "old"))
    assert "1 already here from another machine" in done.out
    assert dejavu("stats", "--json").json["total"] == before
    final = dejavu("sync", "--home", str(tmp_path / "old"), "--final", "--json")
    assert (final.code, final.json["copies"], final.json["read"]) == (0, 1, 0)
    [head] = dejavu("list", "--json").rows
    assert head["instance"] == "local"


def test_both_homes_in_one_run(tmp_path: Path) -> None:
    claude_session(tmp_path / "a", "one")
    claude_session(tmp_path / "b", "one")
    with Archive.open(tmp_path / "archive") as archive:
        homes = [Home(tmp_path / name, {}, name) for name in ("a", "b")]
        report = sync_homes(archive, homes)
        assert (report.sources, report.read, report.copies) == (2, 1, 1)
        assert len(list(archive.scan())) == 1


def test_an_older_copy_is_one_and_a_continued_one_is_not(home: Path, tmp_path: Path) -> None:
    path, copy = _own_and_copy(home, tmp_path)
    claude_session(home, "one", "two", "three")
    old = Home(tmp_path / "old", {}, "old")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        assert sync_final(archive, [old]).copies == 1
        claude_session(tmp_path / "old", "one", "two", "another third", name=path.stem)
        assert copy.is_file()
        report = sync_homes(archive, [old])
        assert (report.read, report.copies) == (1, 0)
        assert {(head.instance, head.turn_count) for head in archive.scan()} == {
            ("local", 6),
            ("old", 6),
        }


def test_files_of_this_machine_are_always_imported(home: Path, tmp_path: Path) -> None:
    """What was imported from an old home first is still found, and resumed, where it is now."""
    _own_and_copy(home, tmp_path)
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home(tmp_path / "old", {}, "old")])
        assert sync_homes(archive, [Home.own()]).read == 1
        assert {head.instance for head in archive.scan()} == {"local", "old"}


def test_an_archive_of_an_older_version_knows_its_machines(home: Path, tmp_path: Path) -> None:
    _own_and_copy(home, tmp_path)
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        machines = archive.namespace("machines")
        machines.change(lambda txn: [txn.delete(key) for key, _ in list(txn.items())])
        assert not list(machines.items())
        assert sync_homes(archive, [Home(tmp_path / "old", {}, "old")]).copies == 1


def test_a_copy_made_before_a_secret_was_masked_counts_once(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = claude_session(home, "one", f"use {token} now", "three")
    copy = tmp_path / "old" / path.relative_to(home)
    copy.parent.mkdir(parents=True)
    shutil.copy(path, copy)
    dejavu("sync")
    assert dejavu("secrets", "mask", "--native", "-y").code == 0
    done = dejavu("sync", "--home", str(tmp_path / "old"), "--instance", "laptop")
    assert "1 already here from another machine" in done.out
    [head] = dejavu("list", "--json").rows
    told = dejavu("export", head["id"], "-f", "raw")
    assert token not in told.out
    assert "with 1 secret masked in the archive" in told.err
    assert "nothing in them is redacted" not in told.err
    # A copy that differs elsewhere is still another conversation.
    claude_session(tmp_path / "old", "one", f"use {token} now", "four", name=path.stem)
    dejavu("sync", "--home", str(tmp_path / "old"), "--instance", "laptop")
    assert len(dejavu("list", "--json").rows) == 2
