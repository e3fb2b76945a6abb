"""Seven points that the text of OSC 7501 leaves open, and what a terminal of ours does in each.

They were named in public when two terminals read one report differently. The rule of all: what may
mean another record than it names is dropped whole, and nothing is repaired. One case a point at least;
whoever reads or writes reports may take this table. The reporter's side is in
tests/capsule/test_status_report.py.
"""

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule.outer_terminal import StatusQueryResponder
from dejavu.screen import ProgramStatus, Terminal
from dejavu.screen.program_status import Capabilities, parse_reply, parse_report

BEFORE = (ProgramStatus("working", app="a"), ProgramStatus("working", "build", app="a"))
HI = b64encode(b"Hi").decode()


def after(*output: str) -> tuple[ProgramStatus, ...]:
    """The records of a terminal that had two, once it has read what a program writes."""
    terminal = Terminal(20, 4)
    terminal.feed(b"\x1b]7501;state=working:app=a\x07\x1b]7501;state=working:id=build\x07")
    for piece in output:
        terminal.feed(piece.encode())
    return terminal.program_status


def report(body: str) -> str:
    return f"\x1b]7501;{body}\x1b\\"


@pytest.mark.parametrize(
    "body",
    ["state=clear:id=bad!", "state=clear:id=", "state=done:id=bad!:id=build", "state=clear:id=a b"],
)
def test_1_an_id_that_is_none_is_not_the_root(body: str) -> None:
    assert after(report(body)) == BEFORE


@pytest.mark.parametrize(
    "body",
    [
        f"state=done:app={'!' * 33}",
        f"state=done:app={'!' * 33}:app=make",
        f"state=done:msg={'!' * 2733}",
        f"state=done:title={'!' * 257}:title={HI}",
        f"state=done:{'k' * 17}=!",
    ],
)
def test_2_a_malformed_pair_may_pass_a_limit(body: str) -> None:
    assert after(report(body)) == BEFORE
    assert parse_report("state=done:app=!!:x=!:msg") == ProgramStatus("done")


@pytest.mark.parametrize(
    "first", ["a", "_-__", b64encode(b"\xff").decode(), b64encode(b"\n").decode()]
)
def test_3_a_later_text_does_not_repair_an_earlier_one(first: str) -> None:
    assert after(report(f"state=done:msg={first}:msg={HI}")) == BEFORE
    assert after(report(f"state=clear:title={first}:title={HI}")) == BEFORE
    assert parse_report(f"state=done:msg={HI}:msg={HI}") == ProgramStatus("done", message="Hi")


@pytest.mark.parametrize("control", ["\t", "\n", "\x00", "\x7f", "\x01"])
def test_4_a_control_byte_is_not_taken_out_to_make_a_field(control: str) -> None:
    assert after(report(f"state=wor{control}king:app=b")) == BEFORE
    assert after(report(f"state=done:msg=SG{control}k=")) == BEFORE


def test_5_a_report_ends_with_bel_or_st_and_nothing_of_it_is_printed() -> None:
    for end in ("\x07", "\x1b\\"):
        assert after(f"\x1b]7501;state=done{end}")[0] == ProgramStatus("done")
    for end in ("\x18", "\x1a"):
        assert after(f"\x1b]7501;state=done{end}") == BEFORE, "cancelled"
    terminal = Terminal(20, 4)
    terminal.feed(b"\x1b]7501;state=done\x1b")
    assert len(terminal.program_status) == 1, "an ESC ends every string, as in xterm and Ghostty"
    terminal.feed(b"\\ok")
    assert (len(terminal.program_status), terminal.snapshot().rows[0].strip()) == (1, "ok")


@pytest.mark.parametrize("size", [4096, 5000, 1 << 16, 1 << 20])
def test_6_what_is_too_long_is_dropped_and_what_follows_is_read(size: int) -> None:
    terminal = Terminal(20, 4)
    terminal.feed(f"\x1b]7501;state=done:x={'a' * size}".encode())
    terminal.feed(b"\x1b\\after\x1b]7501;state=error\x07")
    assert terminal.program_status == (ProgramStatus("error"),)
    assert terminal.snapshot().rows[0].strip() == "after"


@pytest.mark.parametrize(
    ("marks", "cleared"),
    [
        ("\x1b]133;A\x07", True),
        ("\x1b]133;A;k=i\x07", True),
        ("\x1b]133;A;cl=m;k=r\x07", False),
        ("\x1b]133;A;k=c\x07", False),
        ("\x1b]133;A;k=s\x07", False),
        ("\x1b]133;B\x07\x1b]133;C\x07\x1b]133;D;0\x07", False),
        ("\x1b[?1049h\x1b]133;A\x07\x1b[?1049l", False),
        ("\x1bc", True),
        ("\x1b[!p", False),
    ],
)
def test_7_a_new_shell_prompt_ends_work_and_other_marks_do_not(marks: str, cleared: bool) -> None:
    assert after(marks) == (() if cleared else BEFORE)


@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\"])
def test_8_the_host_answers_with_the_querys_own_bytes(end: bytes) -> None:
    responder = StatusQueryResponder(at_once=True, term="xterm", allowed=lambda: True)
    assert responder.output(b"\x1b]7501;?" + end, 0.0) == b"\x1b]7501;?" + end
    assert after("\x1b]7501;?\x07", "\x1b]7501;?:states=idle\x07") == BEFORE, "no report"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("?", Capabilities()),
        ("?:states=idle,working", Capabilities(states=frozenset({"idle", "working"}))),
        ("?:kinds=:future=1", Capabilities(kinds=frozenset())),
        ("?:kinds=auth:kinds=question", Capabilities(kinds=frozenset({"question"}))),
        ("?states=idle", None),
        ("state=idle", None),
        ("", None),
    ],
)
def test_an_answer_may_name_what_the_terminal_knows(
    body: str, expected: Capabilities | None
) -> None:
    assert parse_reply(body) == expected


@given(st.text(max_size=200))
def test_no_answer_raises(body: str) -> None:
    parse_reply(body)
    parse_reply(f"?:{body}")


osc7501 = pytest.importorskip("osc7501", reason="the public encoder, of the `dev` extra")


@given(
    st.sampled_from(["idle", "working", "done", "blocked", "error"]),
    st.text(max_size=300),
    st.text(max_size=100),
    st.one_of(st.none(), st.from_regex(r"[A-Za-z0-9_.+-]{1,32}", fullmatch=True)),
    st.one_of(
        st.none(),
        st.from_regex(r"[A-Za-z0-9_.+-]{1,9}(/[A-Za-z0-9_.+-]{1,9}){0,7}", fullmatch=True),
    ),
    st.one_of(st.none(), st.integers(0, 100)),
)
def test_what_the_public_library_writes_is_read(
    state: str, message: str, title: str, app: str | None, path: str | None, progress: int | None
) -> None:
    measured = progress if state in ("working", "blocked") else None
    sequence = osc7501.encode(state, msg=message, title=title, app=app, id=path, progress=measured)
    read = parse_report(sequence.removeprefix("\x1b]7501;").removesuffix("\x1b\\"))
    assert read is not None
    assert (read.state, read.id, read.app, read.progress) == (
        state,
        path or "",
        app or "",
        measured,
    )
    assert parse_reply("?") is not None
    support = osc7501.parse_reply("\x1b]7501;?:states=idle,done\x07")
    assert support.states == parse_reply("?:states=idle,done").states  # type: ignore[union-attr]
