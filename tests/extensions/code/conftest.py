"""An empty archive, its index of edits, and a repository to edit in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.factories.edits import git

from dejavu.archive import Archive
from dejavu.extensions.code.index import EditIndex


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as archive:
        yield archive


@pytest.fixture
def index(archive: Archive) -> Iterator[EditIndex]:
    with EditIndex(archive) as index:
        yield index


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder
