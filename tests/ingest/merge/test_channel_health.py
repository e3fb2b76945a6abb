from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.merge.channel_health import clear_failure, failures, record_failure
from dejavu.model import Vector


def test_the_last_word_of_a_vector_stands_until_it_works_again(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        clear_failure(archive, "claude", Vector.NATIVE)
        assert failures(archive) == []
        for reason in ("it did not grow", "may not be read"):
            record_failure(archive, "claude", Vector.NATIVE, reason, "c1")
        record_failure(archive, "codex", Vector.HOOK, "x" * 9999)
        one, other = failures(archive)
        told = (one.agent, one.vector, one.reason, one.conversation)
        assert told == ("claude", Vector.NATIVE, "may not be read", "c1")
        assert len(other.reason) == 500
        clear_failure(archive, "claude", Vector.NATIVE)
        assert failures(archive) == [other]
