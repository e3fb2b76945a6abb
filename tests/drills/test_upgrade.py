"""Archives of the program 1.0.0, read by this one: nothing is lost, changed or opened."""

import subprocess
from pathlib import Path

import pytest
from tests.postgres import Server

from . import release, release_archive
from .release import OLD, ROOT
from .upgrade import tried

N_MINUS_1 = "8b18d86f"
"""The last program of schema 7."""


def require(commit: str) -> None:
    """Skip where a clone does not have a commit."""
    known = subprocess.run(
        ["git", "cat-file", "-e", f"{commit}^{{commit}}"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    if known.returncode:
        pytest.skip(f"needs the commit {commit}, which a shallow clone does not have")


def test_the_version_before_and_this_one_read_and_write_each_others(
    server: Server, tmp_path: Path
) -> None:
    require(N_MINUS_1)
    figures = tried(server, N_MINUS_1, tmp_path)
    assert figures["this program before"] == figures["older program after"] == "writes"
    assert (figures["differ"], figures["faults"]) == ([], 0)


def test_an_archive_of_the_first_release_is_read_alike_afterwards(
    server: Server, tmp_path: Path
) -> None:
    require(OLD)
    figures = tried(server, OLD, tmp_path)
    assert (figures["differ"], figures["faults"]) == ([], 0)
    assert figures["conversations"]["keeper"] == 40
    assert set(figures["conversations"].values()) == {40, 36}  # four are private
    assert figures["hits"]["old_reader"][0] == 780


def test_a_person_s_archive_of_the_first_release_answers_as_before(tmp_path: Path) -> None:
    require(OLD)
    figures = release.tried(OLD, tmp_path)
    assert (figures["conversations"], figures["queries"]) == (48, 62)
    assert not release.is_failed(figures), figures["changed"]


def test_the_kept_archive_of_the_first_release_is_read_and_followed(tmp_path: Path) -> None:
    figures = release_archive.tried(tmp_path / "home")
    assert not release.is_failed(figures), figures
    assert (figures["conversations"], figures["queries"]) == (12, 26)
    assert figures["more turns"] == 1  # nothing is doubled though the home has moved


def test_a_changed_value_is_told_from_a_new_field() -> None:
    old = [{"id": "a", "title": "one"}, {"id": "b"}]
    assert {*release.differences(old, [{"id": "c", "new": 1, "title": "one"}], "list")} == {
        ("list", "2 rows, now 1"), ("list[].id", "'a' is now 'c'"), ("list[].new", "new"),
    }  # fmt: skip
