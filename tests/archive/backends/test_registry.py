"""What a path or a URL names, told before anything is touched."""

from pathlib import Path

import pytest

from dejavu.archive.backends import registry as opening
from dejavu.model import ConfigError, NotFoundError


def test_folders_and_servers_are_told_apart() -> None:
    assert opening.is_url("postgresql://db/x")
    assert opening.is_url("postgres:///x")
    assert not opening.is_url("/a/folder")
    with pytest.raises(ConfigError, match="mysql://; name a folder, or postgresql://"):
        opening.is_url("mysql://user:secret@db/x")


def test_what_is_not_there_is_not_made_unasked(root: Path) -> None:
    with pytest.raises(NotFoundError, match="dejavu sync"):
        opening.open_store(root, create=False, readonly=False)
    assert not root.exists()
    found = opening.open_store(root, create=True, readonly=False)
    assert (found.backend.root, found.marked) == (root, None)
    found.backend.close()
