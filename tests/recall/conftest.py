"""An archive in a fresh folder, its memories, and sessions to put in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.recall import Memory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def archive(root: Path) -> Iterator[Archive]:
    with Archive.open(root) as opened:
        yield opened


@pytest.fixture
def memory(archive: Archive) -> Memory:
    return Memory(archive)
