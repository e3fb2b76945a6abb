import pytest

from dejavu.ingest.report import Report
from dejavu.interfaces.command_line.sync_report import (
    print_final,
    print_unreadable,
    summary_line,
    to_dict,
)


def test_one_is_not_many() -> None:
    assert (
        summary_line(Report(1, 1, 9, {"a"}))
        == "1 session file checked, 1 changed: 1 conversation, 9 bytes"
    )
    assert summary_line(Report(2)) == "2 session files checked, 0 changed: 0 conversations, 0 bytes"
    many = summary_line(Report(3, 2, 142_956, {"a", "b"}, copies=1))
    assert many.endswith("2 changed: 2 conversations, 143 kB; 1 already here from another machine")
    assert summary_line(Report(bytes=204_000_000)).endswith("204.0 MB")


def test_what_was_left_behind_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_final(Report(2, 1, 9, {"a"}))
    assert "nothing was left behind" in capsys.readouterr().out
    report = Report(2, 1, 9, {"a"}, [("/x/\x1by.jsonl", "half a record")])
    assert not print_final(report)
    out, err = capsys.readouterr()
    assert "nothing was left behind" not in out
    assert "left behind: /x/" in err
    assert "\x1b" not in err
    assert "1 session file not completely archived" in err
    assert to_dict(report)["unreadable"] == [{"path": "/x/\x1by.jsonl", "reason": "half a record"}]


def test_a_path_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report()
    report.unreadable += [
        ("/a/b", "/a/b cannot be read"),
        ("/a/b", "/a/b cannot be read"),
        ("/c", "bad"),
    ]
    print_unreadable(report, "not read")
    assert capsys.readouterr().err == "not read: /a/b: cannot be read\nnot read: /c: bad\n"
