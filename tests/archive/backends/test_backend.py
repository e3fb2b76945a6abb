"""A hold on a store ends once, and says so afterwards."""

import re

import pytest

from dejavu.archive import Archive
from dejavu.model import ArchiveError


def test_a_hold_that_ended_says_so(archive: Archive) -> None:
    assert archive.backend.read(lambda txn: txn.get("summaries", b"none")) is None
    archive.close()
    archive.close()
    with pytest.raises(ArchiveError, match=f"the archive {re.escape(archive.name)} is closed"):
        _ = archive.backend
