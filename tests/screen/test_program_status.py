from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.screen import AgentStatus, Notification, ProgramStatus, Terminal
from dejavu.screen.program_status import RECORDS_LIMIT, parse_report


def base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def report(body: str, end: str = "\x1b\\") -> bytes:
    return f"\x1b]7501;{body}{end}".encode()


def records(*bodies: str) -> tuple[ProgramStatus, ...]:
    terminal = Terminal(20, 4)
    for body in bodies:
        terminal.feed(report(body))
    return terminal.program_status


def test_a_report_is_a_typed_record_and_an_event():
    terminal = Terminal(20, 4)
    message = base64("approve Write: notes.md")
    (event,) = terminal.feed(
        report(f"state=blocked:kind=permission:app=claude:progress=40:msg={message}", "\x07")
    ).events
    assert event == ProgramStatus(
        "blocked", "", "permission", 40, "claude", "", "approve Write: notes.md"
    )
    assert terminal.program_status == (event,)
    assert terminal.replies() == b""


def test_the_query_is_neither_a_report_nor_answered():
    terminal = Terminal(20, 4)
    assert terminal.feed(report("?", "\x07")).events == ()
    assert terminal.program_status == ()
    assert terminal.replies() == b""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("state=working:STATE=idle:=x:x:y=ü:msg", ProgramStatus("working")),
        ("state=working:future=1:state=done", ProgramStatus("done")),
        ("state=done:kind=question:progress=5", ProgramStatus("done")),
        ("state=blocked:kind=coffee:progress=101", ProgramStatus("blocked")),
        ("state=working:progress=007:app=a/b", ProgramStatus("working")),
        ("state=working:progress=100", ProgramStatus("working", progress=100)),
        (f"state=working:msg={base64('ab').rstrip('=')}", ProgramStatus("working", message="ab")),
        (f"state=idle:id={'/'.join(['a'] * 8)}", ProgramStatus("idle", "/".join(["a"] * 8))),
        (f"state=idle:title={base64('t' * 192)}", ProgramStatus("idle", title="t" * 192)),
        (f"state=idle:msg={base64('t' * 2048)}", ProgramStatus("idle", message="t" * 2048)),
        ("state=idle:msg=", ProgramStatus("idle")),
    ],
)
def test_reports_that_count(body: str, expected: ProgramStatus):
    assert parse_report(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "",
        "id=a",
        "state=",
        "state=waiting",
        "state=Idle",
        f"state=idle:id={'/'.join(['a'] * 9)}",
        f"state=idle:id={'/'.join(['a' * 31] * 5)}",
        f"state=idle:id={'a' * 33}",
        "state=idle:id=a//b",
        "state=idle:id=/",
        "state=idle:id=",
        f"state=idle:app={'a' * 33}",
        "state=idle:abcdefghijklmnopq=1",
        "state=idle:msg=a",
        "state=idle:msg=YQ=",
        "state=idle:msg=YQ===",
        "state=idle:msg=Y=Q=",
        "state=idle:msg=_-__",
        f"state=idle:msg={b64encode(bytes([255])).decode()}",
        f"state=idle:msg={base64('a' + chr(10) + 'b')}",
        f"state=idle:msg={base64(chr(155) + '31m')}",
        f"state=idle:title={base64('t' * 193)}",
        f"state=idle:msg={base64('t' * 2049)}",
        f"state=idle:msg=!:msg={base64(chr(27))}:msg={base64('fine')}",
        "state=idle:x=" + "a" * 4096,
        "state=idle:x=" + "ü" * 2100,
        "state=idle\n:app=a",
    ],
)
def test_reports_that_are_dropped_whole(body: str):
    assert parse_report(body) is None
    before = records("state=working:app=a")
    assert records("state=working:app=a", body) == before


def test_a_report_replaces_its_record_whole_and_names_are_inherited():
    assert records("state=working:app=a:progress=3", "state=idle") == (ProgramStatus("idle"),)
    root, child, grandchild = records(
        "id=x/y:state=working", "id=x:state=done:app=b", "state=idle:app=a"
    )
    assert (root.app, child.app, grandchild.app) == ("a", "b", "b")
    assert records("id=x/y:state=working", "state=idle:app=a")[1].app == "a"


def test_clear_removes_a_record_and_its_children_and_from_the_root_all():
    four = ["state=idle", "id=x:state=done", "id=x/y:state=working", "id=xy:state=done"]
    assert [one.id for one in records(*four, "id=x:state=clear")] == ["", "xy"]
    assert records(*four, "state=clear") == ()


def test_above_the_limit_the_least_recently_updated_record_goes():
    bodies = [f"id=r{n}:state=idle" for n in range(RECORDS_LIMIT)]
    kept = records(*bodies, "id=r0:state=done", "id=new:state=idle")
    assert len(kept) == RECORDS_LIMIT
    ids = {one.id for one in kept}
    assert {"r0", "new"} <= ids
    assert "r1" not in ids


@pytest.mark.parametrize("end", [b"\x1b]133;A\x07", None])
def test_a_new_prompt_and_the_end_of_the_program_end_working_and_blocked(end: bytes | None):
    terminal = Terminal(20, 4)
    for n, state in enumerate(("idle", "working", "blocked", "done", "error")):
        terminal.feed(report(f"id=r{n}:state={state}"))
    if end is None:
        terminal.program_exited()
    else:
        terminal.feed(end)
    assert [one.state for one in terminal.program_status] == ["idle", "done", "error"]


def test_of_the_resets_only_ris_removes_records():
    terminal = Terminal(20, 4)
    terminal.feed(report("state=working"))
    terminal.feed(b"\x1b[!p\x1b[?1049h\x1b[2J\x1b[3J\x1b[?1049l\x1b]133;B\x07")
    terminal.resize(30, 5)
    assert [one.state for one in terminal.program_status] == ["working"]
    terminal.feed(b"\x1bc")
    assert terminal.program_status == ()


PIECES = st.sampled_from(
    [
        "\x1b]7501;", "state=", "idle", "working", "blocked", "clear", "done", "?", ":", "=", "/",
        "id=", "id=a/b", "kind=permission", "progress=", "9", "app=x", "msg=", "title=", "YWJj",
        "\x1b\\", "\x07", "\x1b", "\x18", "\n", "ü", "\x9c", "\x1bc", "\x1b]133;A\x07", "a" * 700,
        "\x1b]99;d=0;", "\x1b]26;", "Status=",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60), st.lists(st.integers(1, 9), max_size=40))
def test_any_bytes_in_any_pieces_give_the_same_bounded_records(pieces: list[str], cuts: list[int]):
    data = "".join(pieces).encode()
    whole, cut = Terminal(20, 4), Terminal(20, 4)
    events = whole.feed(data).events
    in_pieces: list[object] = []
    for size in [*cuts, len(data) + 1]:
        in_pieces += cut.feed(data[:size]).events
        data = data[size:]
    assert cut.program_status == whole.program_status
    assert tuple(in_pieces) == events
    assert len(whole.program_status) <= RECORDS_LIMIT
    for record in whole.program_status:
        assert len(record.message.encode()) <= 2048
        assert record.state != "clear"


@given(st.text(max_size=300))
def test_no_body_raises(body: str):
    parse_report(body)
    parse_report(f"state=idle:{body}")


def test_notifications_of_kitty_come_in_pieces():
    terminal = Terminal(20, 4)
    events = terminal.feed(
        b"\x1b]99;i=1:d=0;Turn\x1b\\\x1b]99;i=1:p=?;\x1b\\\x1b]99;i=1:p=body:e=1;ZG9uZQ==\x1b\\"
        b"\x1b]99;e=1;not base64\x1b\\\x1b]99;;\x1b\\"
    ).events
    assert events == (Notification("Turn: done"),)


def test_an_agents_own_status_is_an_event():
    terminal = Terminal(20, 4)
    events = terminal.feed(
        b"\x1b]26;CodeAgent=goose;Status=awaiting-approval;Detail=rm;TaskProgress=1/4\x07"
        b"\x1b]26;CodeAgent=goose\x07"
    ).events
    assert events == (AgentStatus("awaiting-approval", "goose", "", "rm", "1/4"),)


@pytest.mark.parametrize(
    ("body", "event"),
    [
        ('{"state":"working","agentType":"x","prompt":"go"}', AgentStatus("working", "x")),
        ('{"state":"done"}', AgentStatus("done")),
        ('{"state":"blo\\u0007cked","agentType":3}', AgentStatus("blo cked")),
        ('{"state":5}', None),
        ('{"state":"working"', None),
        ("[1]", None),
        ("frame=3", None),
        ('{"a":' * 5000, None),
        ('{"state":"working","a":"' + "x" * 70_000 + '"}', None),
        ("", None),
    ],
)
def test_an_agents_status_as_json_is_an_event(body: str, event: AgentStatus | None):
    events = Terminal(20, 4).feed(f"\x1b]9999;{body}\x07".encode()).events
    assert events == (() if event is None else (event,))
