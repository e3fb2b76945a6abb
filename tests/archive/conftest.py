"""An archive in a fresh folder, and turns to put in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.archive import Archive


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def archive(root: Path) -> Iterator[Archive]:
    with Archive.open(root) as opened:
        yield opened
