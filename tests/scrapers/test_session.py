import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Role
from dejavu.scrapers import SessionReader, State, load_packs

RULE = "─" * 60
BOX = f"\r\n\r\n{RULE}\r\n❯ \r\n{RULE}\r\n  ? for shortcuts"
ASK = "\x1b[H\x1b[J❯ hello"
ANSWER = "\r\n\r\n● Hi there."
BUSY = "\r\n\r\n✻ Thinking… (1s · esc to interrupt)"
DIALOG = "Do you want to run make?\r\n❯ 1. Yes\r\n  2. No"


def session() -> SessionReader:
    return SessionReader("demo", 60, 20)


def test_a_turn_is_seen_from_working_to_idle():
    reader = session()
    reader.output((ASK + BUSY + BOX).encode(), 1.0)
    assert reader.due is not None
    reader.tick(2.0)
    assert reader.state is State.WORKING
    reader.output((ASK + ANSWER + BOX).encode(), 3.0)
    reader.tick(4.0)
    assert [str(change.state) for change in reader.status] == ["working", "idle"]
    assert [turn.text for turn in reader.turns] == ["hello", "Hi there."]
    assert reader.reading is not None
    assert reader.reading.rule == "input"


def test_looks_are_made_at_their_own_time_when_output_comes_late():
    reader = session()
    reader.output((ASK + BUSY + BOX).encode(), 1.0)
    (change,) = reader.output((ASK + ANSWER + BOX).encode(), 9.0)
    assert change.state is State.WORKING
    assert 1.0 < change.at < 1.2


def test_a_redraw_that_wipes_the_history_says_nothing_twice():
    reader = SessionReader("demo", 60, 12)
    text = "".join(f"\r\n  line {number} of the answer" for number in range(20))
    whole = ("\x1b[2J\x1b[3J\x1b[H❯ hello\r\n\r\n● So:" + text + BOX).encode()
    for at in (1.0, 1.001, 1.002, 3.0):
        reader.output(whole, at)
    reader.exit(0, 5.0)
    said = [turn.text for turn in reader.turns]
    assert said[0] == "hello"
    assert len(said) == 2
    assert said[1].splitlines()[1:] == [f"line {number} of the answer" for number in range(20)]


def test_no_look_inside_a_synchronized_update():
    reader = session()
    reader.output((ASK + ANSWER + BOX).encode(), 1.0)
    reader.tick(2.0)
    reader.output(b"\x1b[?2026h" + (ASK + BUSY + BOX).encode(), 3.0)
    reader.tick(3.05)
    assert reader.state is State.IDLE
    reader.output(b"\x1b[?2026l", 3.06)
    reader.tick(3.2)
    assert reader.state is State.WORKING


def test_exit_looks_once_more_and_ends():
    reader = session()
    reader.output((ASK + ANSWER + BOX).encode(), 1.0)
    reader.exit(0, 1.01)
    assert reader.state is State.EXITED
    assert reader.due is None
    assert reader.turns[-1].meta == {}
    assert reader.turns[-1].text == "Hi there."


def test_a_gap_is_marked_and_the_next_bytes_are_understood():
    reader = session()
    reader.output(b"\x1b[3", 1.0)
    reader.gap(4096, 1.1)
    reader.output((ASK + ANSWER + BOX).encode(), 1.2)
    reader.tick(2.0)
    assert reader.gaps[0].reason == "the capture lost 4096 bytes"
    assert reader.turns[0].text == "hello"


def test_a_resize_neither_loses_nor_repeats():
    reader = session()
    long = "● " + " ".join(f"word{n}" for n in range(30))
    words = long.split(" ")
    wide, narrow = _wrapped(words, 60), _wrapped(words, 40)
    reader.output((ASK + "\r\n\r\n" + wide + BOX).encode(), 1.0)
    reader.tick(2.0)
    reader.resize(40, 20, 3.0)
    box = BOX.replace(RULE, "─" * 40)
    reader.output((ASK + "\r\n\r\n" + narrow + box).encode(), 3.1)
    reader.tick(4.0)
    assert [turn.text for turn in reader.turns] == ["hello", long.removeprefix("● ")]


def test_emoji_are_as_wide_as_the_agent_counts_them():
    drawn = "\x1b[H❯ is 🧑\u200d💻\x1b[{}G here".encode()
    for agent, column in (("demo", 8), ("cline", 10)):
        reader = SessionReader(agent, 60, 4)
        reader.output(drawn.replace(b"{}", str(column).encode()), 1.0)
        reader.exit(0, 2.0)
        row = reader.terminal.snapshot().rows[0].rstrip()
        assert row.split() == ["❯", "is", "🧑\u200d💻", "here"]


def test_a_signal_is_believed():
    reader = session()
    (change,) = reader.signal(State.BLOCKED, 1.0, "hook")
    assert (change.rule, change.detail) == ("signal", "hook")


def test_packs_may_be_given():
    packs = load_packs({"own.toml": 'agent = "own"\ntitle = "O"\ndate = 2026-11-21\n'})
    reader = SessionReader("own", 20, 4, packs=packs)
    reader.output(b"words", 1.0)
    reader.tick(4.0)
    assert reader.state is State.UNKNOWN


def _wrapped(words: list[str], room: int) -> str:
    rows = [""]
    for word in words:
        if rows[-1] and len(rows[-1]) + 1 + len(word) > room:
            rows.append("  " + word)
        else:
            rows[-1] = f"{rows[-1]} {word}" if rows[-1] else word
    return "\r\n".join(rows)


SCRIPT = "".join(
    f"\x1b[H\x1b[J❯ q{n}\r\n\r\n● answer {n} of the session{BOX}" for n in range(3)
).encode()


@given(st.lists(st.integers(0, len(SCRIPT)), max_size=8))
def test_where_the_bytes_are_cut_does_not_matter(cuts: list[int]):
    reader = session()
    edges = [0, *sorted(cuts), len(SCRIPT)]
    for start, end in pairwise(edges):
        reader.output(SCRIPT[start:end], 1.0)
    reader.exit(0, 2.0)
    assert [turn.text for turn in reader.turns] == ["q2", "answer 2 of the session"]


@pytest.mark.shared
def test_the_prompts_of_a_recorded_session_come_out_in_order(shared: Path):
    folder = shared / "data" / "recordings" / "kimi" / "tour-80x24"
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    lines = (folder / "session.cast").read_text(encoding="utf-8").splitlines()
    header = json.loads(lines[0])
    reader = SessionReader("kimi", header["width"], header["height"])
    at = 0.0
    for line in lines[1:]:
        at, kind, data = json.loads(line)
        if kind == "o":
            reader.output(data.encode(), at)
    reader.exit(0, at)
    prompts = [turn.text for turn in reader.turns if turn.role is Role.USER]
    assert prompts == [turn["user"] for turn in truth["turns"]]
    assert State.BLOCKED in {change.state for change in reader.status}


def test_process_activity_breaks_a_tie_and_nothing_more() -> None:
    silent, idle = SessionReader("demo", 40, 8), SessionReader("demo", 40, 8)
    for reader in (silent, idle):
        reader.process_activity(True, 0.0)
    silent.output(b"prose that is no chrome\r\n", 1.0)
    idle.output(("─" * 40 + "\r\n❯ \r\n" + "─" * 40 + "\r\n  ? for shortcuts").encode(), 1.0)
    for at in (2.0, 3.0, 6.0):
        silent.tick(at)
        idle.tick(at)
    assert (silent.state, silent.status[-1].rule) == (State.WORKING, "process")
    assert idle.state is State.IDLE


def test_other_rules_are_used_from_the_next_look_on() -> None:
    reader = SessionReader("demo", 40, 8)
    pack = """
agent = "demo"
title = "mine"
date = 2026-11-21
[[state]]
id = "mine"
state = "blocked"
region = "transcript"
any = ['MY OWN MARK']
priority = 99
"""
    reader.set_packs(load_packs({"demo.toml": pack}))
    reader.output(b"MY OWN MARK\r\n", 1.0)
    reader.tick(5.0)
    assert (reader.state, reader.status[-1].rule) == (State.BLOCKED, "mine")


BITS = st.sampled_from(
    [
        "\x1b]7501;state=blocked:kind=question\x07", "\x1b]7501;state=done\x07",
        "\x1b]7501;state=working:msg=MiBzaGVsbHMgc3RpbGwgcnVubmluZw==\x07",
        "\x1b]7501;id=a/b:state=working\x07", "\x1b]7501;state=clear\x07", "\x1bc",
        "\x1b]133;A\x07", "\x1b]133;B\x07\x1b]133;C\x07", "\x1b]9;4;3\x07", "\x1b]9;approve?\x07",
        "\x1b]26;Status=running\x07", "\x1b]0;⠋ a\x07", "\x1b]0;⠙ b\x07", DIALOG, ASK, ANSWER,
        BUSY, BOX, "\r\n", "❯ 1. Yes\r\n", "  2. No\r\n", "│ ❯ ", "●", "?", "\x1b[H\x1b[J", "\x1b[2K",
        "· 1 shell still running", "• Queued follow-up inputs\r\n  ↳ x", "\x1b[?1049h", "\x1b[?1049l",
    ]
)  # fmt: skip


@given(st.lists(BITS, max_size=12), st.sampled_from(["demo", "claude", "kimi", "auto"]))
def test_nothing_that_is_said_or_drawn_breaks_the_reader(bits: list[str], agent: str):
    reader = SessionReader(agent, 60, 20)
    for number, bit in enumerate(bits):
        reader.output(bit.encode(), number * 0.3)
        blocked = reader.situation.blocked
        assert (blocked is not None) == (reader.state is State.BLOCKED)
        assert len(reader.situation.pending) <= 6
    reader.resize(30, 9, 20.0)
    for _ in range(9):
        if reader.due is not None:
            reader.tick(reader.due)
    reader.exit(0, 60.0)
    assert reader.situation.pending == ()
    assert reader.turns is not None


def title_session(*titles: tuple[float, str]) -> SessionReader:
    reader = SessionReader("codex", 60, 8)
    rows = ["› ask", "", "• An answer.", "", "› Ask for more", "", "  gpt-5 · 64% context left"]
    reader.output(("\x1b[H" + "\r\n".join(rows)).encode(), 0.0)
    for at, title in titles:
        reader.output(f"\x1b]0;{title}\x07".encode(), at)
    return reader


def test_a_title_whose_spinner_stands_still_yields_to_the_screen() -> None:
    reader = title_session((0.0, "⠙ project"), (0.1, "⠹ project"))
    assert reader.state is State.WORKING
    for _ in range(20):
        if reader.due is not None:
            reader.tick(reader.due)
    assert reader.state is State.IDLE


def test_a_title_whose_spinner_turns_means_work() -> None:
    turning = [(n * 0.9, f"{'⠙⠹⠸⠼'[n % 4]} project") for n in range(12)]
    reader = title_session(*turning)
    assert [change.state for change in reader.status] == [State.WORKING]


def _spins(reader: SessionReader, frame: int) -> None:
    """Turn the demo agent's spinner, ten times a second."""
    glyph = "·✢✳✶✻✽"[frame % 6]
    row = f"\x1b[3;1H{glyph} Thinking… ({frame // 10}s · esc to interrupt)"
    reader.output(row.encode(), 2.0 + frame / 10)


def test_a_screen_in_which_only_a_spinner_turns_is_seldom_read():
    reader = session()
    reader.output((ASK + BUSY + BOX).encode(), 1.0)
    read = set[float]()
    for frame in range(100):
        _spins(reader, frame)
        read.add(reader.sampled_at)
    assert len(read) <= 12
    assert reader.state is State.WORKING
    assert reader.is_quiet


@pytest.mark.parametrize(
    "drawn",
    [
        "\x1b[3;1H✻ Thought for a while (9s)\x1b[K",  # another word in the spinner's row
        "\x1b[3;1H\x1b[K",
        "\x1b[1;3Hhello again",  # the transcript
        "\x1b[6;3Hnext",  # the input
        "\x1b]9;4;0\a",
        "\x1b[10;1Ha new row",
    ],
)
def test_what_is_more_than_a_spinner_is_read_once_it_is_composed(drawn: str) -> None:
    reader = session()
    reader.output((ASK + BUSY + BOX).encode(), 1.0)
    reader.output(b"\x1b]9;4;3\a", 1.5)
    for frame in range(8):
        _spins(reader, frame)
    reader.output(drawn.encode(), 2.75)
    assert reader.due is not None
    assert reader.due == pytest.approx(2.78, abs=0.001)
    reader.tick(reader.due)
    assert reader.sampled_at == pytest.approx(2.78, abs=0.001)


def test_a_spinner_that_stops_is_read_once_more():
    reader = session()
    reader.output((ASK + BUSY + BOX).encode(), 1.0)
    for frame in range(8):
        _spins(reader, frame)
    while reader.due is not None and reader.due < 60:
        reader.tick(reader.due)
    assert reader.sampled_at > 2.7
    assert reader.due is None
