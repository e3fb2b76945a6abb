"""An archive of the program 1.0.0 with rights, migrated by this one: nothing is lost and nothing opens."""

import subprocess
from pathlib import Path

import pytest
from tests.postgres import Server

from .upgrade import OLD, ROOT, tried


def test_an_archive_of_the_first_release_is_read_alike_afterwards(
    server: Server, tmp_path: Path
) -> None:
    known = subprocess.run(
        ["git", "cat-file", "-e", f"{OLD}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
    )
    if known.returncode:
        pytest.skip(f"needs the commit {OLD}, which a shallow clone does not have")
    figures = tried(server, OLD, tmp_path)
    assert (figures["differ"], figures["faults"]) == ([], 0)
    assert figures["conversations"]["keeper"] == 40
    assert set(figures["conversations"].values()) == {40, 36}  # four are private
    assert figures["hits"]["old_reader"][0] == 780
