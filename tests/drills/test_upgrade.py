"""An archive of the program 1.0.0 with rights, migrated by this one: nothing is lost and nothing opens."""

import subprocess
from pathlib import Path

import pytest
from tests.postgres import Server

from .upgrade import OLD, ROOT, tried

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
