import os
from pathlib import Path
from typing import Any

import pytest
from tests.factories.session_files import claude_session

from dejavu.ingest.find_homes import find_homes


def test_every_home_in_a_tree_is_found_once(tmp_path: Path) -> None:
    claude_session(tmp_path / "fleet" / "a" / "home", "one")
    claude_session(tmp_path / "fleet" / "b", "two")
    (tmp_path / "fleet" / "c" / ".git").mkdir(parents=True)
    (tmp_path / "fleet" / "loop").symlink_to(tmp_path / "fleet")
    homes = list(find_homes(tmp_path / "fleet", "/work/x"))
    assert [home.instance for home in homes] == ["a/home", "b"]
    assert {home.workspace for home in homes} == {"/work/x"}


def test_the_root_may_be_a_home_itself(tmp_path: Path) -> None:
    claude_session(tmp_path / "box", "one")
    (home,) = find_homes(tmp_path / "box")
    assert (home.path, home.instance) == (tmp_path / "box", "box")


def test_an_empty_tree_has_none(tmp_path: Path) -> None:
    assert list(find_homes(tmp_path)) == []


def test_a_folder_that_may_not_be_looked_into_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(tmp_path / "fleet" / "a", "one")
    (tmp_path / "fleet" / "b").mkdir()
    scandir = os.scandir

    def refusing(path: Path) -> Any:  # permissions do not stop root, who may run the tests
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    closed: list[OSError] = []
    homes = list(find_homes(tmp_path / "fleet", closed=closed.append))
    assert [home.instance for home in homes] == ["a"]
    assert [error.filename for error in closed] == [str(tmp_path / "fleet" / "b")]
