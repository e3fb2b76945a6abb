from pathlib import Path

from dejavu.archive.access import open_archive
from dejavu.interfaces.doctor.archive import archive
from dejavu.interfaces.doctor.finding import Severity
from dejavu.model import Conversation
from dejavu.recall.injection import switch


def test_none_yet_is_a_note(home: Path) -> None:
    (finding,) = archive()
    assert (finding.severity, finding.fix != "") == (Severity.WARNING, True)


def test_figures(archived: list[Conversation]) -> None:
    finding, *indexes = archive()
    assert [index.subject for index in indexes] == ["search index", "recall index"]
    assert finding.facts["conversations"] == 2
    assert finding.facts["turns"] == 6


def test_a_damaged_one_is_bad(archived: list[Conversation], home: Path) -> None:
    data = home / ".local/share/dejavu/archive/data.mdb"
    data.write_bytes(b"")
    (finding,) = archive()
    assert finding.severity is Severity.ERROR


def test_where_injection_is_off(archived: list[Conversation]) -> None:
    assert "injection" not in {one.subject for one in archive()}
    with open_archive(write=True) as opened:
        switch(opened, "/work/retry", on=False)
    [found] = [one for one in archive() if one.subject == "injection"]
    assert (found.severity, found.facts) == (Severity.OK, {"off": ["/work/retry"]})
    assert found.message.startswith("off in /work/retry;")
    with open_archive(write=True) as opened:
        switch(opened, on=False)
    assert "off in every project" in next(o for o in archive() if o.subject == "injection").message
