from pathlib import Path

from tests.ingest.merge.test_arbitrate import ANSWER, ID, Session

from dejavu.archive.access import open_archive
from dejavu.ingest.merge.arbitrate import merge_vectors
from dejavu.ingest.merge.channel_health import record_failure
from dejavu.interfaces.doctor.archive import vectors
from dejavu.interfaces.doctor.finding import Severity
from dejavu.model import Vector


def test_without_an_archive_there_is_nothing_to_say(home: Path) -> None:
    assert list(vectors()) == []


def test_vectors_that_agree_are_well(home: Path) -> None:
    with open_archive(write=True) as archive:
        session = Session(archive, home)
        session.file(("Why?", ANSWER))
        session.hooks(("Why?", ANSWER), ("And red?", "Less so."))
        merge_vectors(archive, ID)
    (found,) = vectors()
    assert found.severity is Severity.OK
    assert "1 conversation captured from several sources, 0 differ" in found.message
    assert "hook: only source of 1 exchange" in found.message


def test_what_contradicts_is_counted_and_who_failed_is_named(home: Path) -> None:
    with open_archive(write=True) as archive:
        session = Session(archive, home)
        session.file(("Why?", ANSWER))
        session.hooks(("Why?", "Something else."))
        merge_vectors(archive, ID)
        record_failure(archive, "claude", Vector.NATIVE, "no trace of it was found", ID)
    failing, found = vectors()
    assert (failing.subject, failing.facts["conversation"]) == ("claude native", ID)
    assert "no trace of it was found" in failing.message
    assert found.severity is Severity.WARNING
    assert found.facts["disagreeing"] == [ID]
    assert found.facts["counts"]["hook"] == {"differs answer": 1}
