import pytest

from dejavu.ingest.importer import Report
from dejavu.interfaces.cli.sync_report import plain, tell_final, told


def test_one_is_not_many() -> None:
    assert told(Report(1, 1, 9, {"a"})) == "1 trace looked at, 1 had news: 1 conversation, 9 bytes"
    assert told(Report(2)) == "2 traces looked at, 0 had news: 0 conversations, 0 bytes"


def test_what_was_left_behind_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_final(Report(2, 1, 9, {"a"}))
    assert "nothing was left behind" in capsys.readouterr().out
    report = Report(2, 1, 9, {"a"}, [("/x/\x1by.jsonl", "half a record")])
    assert not tell_final(report)
    out, err = capsys.readouterr()
    assert "nothing was left behind" not in out
    assert "left behind: /x/" in err
    assert "\x1b" not in err
    assert "1 trace not wholly kept" in err
    assert plain(report)["unreadable"] == [{"path": "/x/\x1by.jsonl", "reason": "half a record"}]
