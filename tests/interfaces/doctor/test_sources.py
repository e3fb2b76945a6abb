from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.ingest.source_failures import record_source_failure
from dejavu.interfaces.doctor.capture import sources
from dejavu.interfaces.doctor.finding import Severity


def test_sources_that_fail_are_named_and_too_many_are_counted(home: Path) -> None:
    assert list(sources()) == []
    files = [home / f"{number}.jsonl" for number in range(7)]
    with open_archive(write=True) as archive:
        for path in files:
            path.touch()
            for at in (1000.0, 2000.0):
                record_source_failure(archive, "amp", str(path), OSError("no entry"), at)
    *named, rest = sources()
    assert [finding.facts["path"] for finding in named] == [str(path) for path in files[:5]]
    assert named[0].severity is Severity.WARNING
    assert "2 times since" in named[0].message
    assert "no entry" in named[0].message
    assert "sync --agent amp" in named[0].fix
    assert rest.message.startswith("2 more sources")
    assert [source["path"] for source in rest.facts["sources"]] == [str(p) for p in files[5:]]


def test_a_name_of_other_bytes_is_shown(home: Path) -> None:
    path = home / "caf\udce9.jsonl"
    path.touch()
    with open_archive(write=True) as archive:
        record_source_failure(archive, "amp", str(path), OSError("no entry"), 1.0)
    (finding,) = sources()
    assert str(path) in finding.message
