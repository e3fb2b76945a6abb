from pathlib import Path

from dejavu.interfaces.doctor.archive import archive
from dejavu.interfaces.doctor.finding import Severity
from dejavu.model import Conversation


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
