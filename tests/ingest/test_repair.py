"""A damaged conversation is brought back from the archive's own raw, without the agent's files."""

from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.ingest.repair import repair
from dejavu.ingest.sync import sync_homes
from dejavu.model import CorruptArchiveError
from dejavu.providers import Home


def test_a_damaged_conversation_comes_back_from_its_raw(home: Path) -> None:
    path = claude_session(home, "one", "two")
    root = Path(archive_location())
    root.parent.mkdir(parents=True, exist_ok=True)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home.own()])
        (before,) = (archive.get(summary.id) for summary in archive.scan())
        path.unlink()

        def damage(txn: object) -> None:
            stored = txn.stored("summaries", before.id.encode())  # type: ignore[attr-defined]
            txn.put_stored("summaries", before.id.encode(), stored[:-1] + b"?")  # type: ignore[attr-defined]

        archive.backend.write(damage)
        with pytest.raises(CorruptArchiveError, match=before.id):
            archive.get(before.id)
    result = repair()
    assert (result.brought_back, result.left) == ((before.id,), ())
    assert result.aside is not None
    with Archive.open(root) as archive:
        assert archive.get(before.id).turns == before.turns
        assert archive.verify().clean
        assert archive.search("two")
    assert repair() == ((), (), None)
