"""A glyph that turns means work, in the input box as well, and so do rows that keep coming."""

import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.scrapers import SessionReader, State
from dejavu.scrapers.motion import Motion

BRAILLE = "⠋⠙⠹⠸⠼⠴"
ANSWER = ["● An answer.", "", "┃ {} Press Esc to cancel", ""]


def turned(rows: list[str], glyphs: str, every: float = 0.1) -> Motion:
    motion = Motion()
    for number, glyph in enumerate(glyphs):
        motion.observe([row.format(glyph) for row in rows], number * every)
    return motion


def test_two_turns_mean_work_for_a_while() -> None:
    assert turned(ANSWER, BRAILLE[:2]).until is None
    motion = turned(ANSWER, BRAILLE[:3])
    assert motion.until == pytest.approx(0.2 + 0.3)
    slow = turned(ANSWER, BRAILLE[:3], every=0.7).until
    assert slow == pytest.approx(1.4 + 1.05), "a slow one speaks longer"
    assert motion.row == f"┃ {BRAILLE[2]} Press Esc to cancel"


def test_a_row_that_is_gone_speaks_no_longer() -> None:
    motion = turned(ANSWER, BRAILLE)
    motion.observe(["● An answer.", "", "┃ ", ""], 0.7)
    assert motion.until is None
    alone = turned(["● An answer.", "{}"], BRAILLE)
    alone.observe(["● An answer.", ""], 0.7)
    assert alone.until is None


@pytest.mark.parametrize(
    "rows",
    [
        ["● An answer.", "❯ ⠋ Working (3s • esc to interrupt){}"],  # typed, a letter at a time
        ["{} first", "⠙ second", "⠹ third"],
    ],
)
def test_what_is_typed_stands_still(rows: list[str]) -> None:
    assert turned(rows, "abcdef").until is None


def test_a_list_of_such_rows_that_moves_is_no_spinner() -> None:
    motion = Motion()
    quoted = [f"{glyph} Working" for glyph in BRAILLE]
    for number in range(4):
        motion.observe(quoted[number : number + 3], number * 0.1)
    assert motion.until is not None  # seen so they are turns ...
    motion = Motion()
    words = [
        f"{glyph} {word}"
        for glyph, word in zip(BRAILLE, ["one", "two", "three", "four", "five", "six"], strict=True)
    ]
    for number in range(4):
        motion.observe(words[number : number + 3], number * 0.1)
    assert motion.until is None  # ... but rows of their own words are not


@pytest.mark.fault("S1")
def test_a_spinner_that_moved_into_the_input_box_is_no_idle() -> None:
    """Its pack looks for the spinner in column 0, and takes what stands in the box for typed text."""
    reader = SessionReader("nanocoder", 80, 24)
    box = "What would you like me to help with?\r\n┃ {} Press Esc to cancel\r\n┃\r\n"
    at = 0.0
    for number in range(30):
        at = number * 0.1
        reader.output(f"\x1b[H┃ hello\r\n\r\n{box.format(BRAILLE[number % 6])}".encode(), at)
        reader.tick(at + 0.05)
    assert reader.state is State.WORKING
    reader.output(
        f"\x1b[H┃ hello\r\n\r\n{box.replace('{} Press Esc to cancel', '  ' + ' ' * 30)}".encode(),
        at + 0.1,
    )
    for tick in range(30):
        reader.tick(at + 0.2 + tick * 0.1)
    assert reader.state is State.IDLE


@pytest.mark.shared
def test_a_pack_is_never_worse_than_the_rules_for_any_agent(shared: Path) -> None:
    words = [
        "benchmarks.scrapers.left_out",
        str(shared / "data/recordings"),
        "--read-by",
        "own,any",
    ]
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=Path(__file__).parents[2],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "all        own" in done.stdout


RULE = "─" * 40
BOX = [RULE, "❯ ", RULE]


def draw(reader: SessionReader, rows: list[str], at: float) -> None:
    reader.output(("\x1b[?1049h\x1b[H\x1b[J" + "\r\n".join([*rows, "", *BOX])).encode(), at)


def test_an_answer_that_streams_without_a_spinner_is_work_until_it_stands_still() -> None:
    reader = SessionReader("claude", 60, 30)
    rows = ["❯ ask", "", "● It begins."]
    for number in range(8):
        draw(reader, rows, 1.0 + number * 0.4)
        rows.append(f"  row number {number}")
    assert reader.state is State.WORKING
    assert reader.status[-1].rule == "cue:growth"
    reader.tick(6.0)
    assert reader.state is State.IDLE


@pytest.mark.parametrize(
    ("first", "keys", "state"),
    [("❯ ask", b"", State.WORKING), ("▶ ask", b"ask\r", State.WORKING), ("Hello", b"", State.IDLE)],
)
def test_rows_that_come_before_anybody_asks_are_a_welcome(
    first: str, keys: bytes, state: State
) -> None:
    reader = SessionReader("claude", 60, 30)
    reader.keys(keys, 0.5)
    rows = [first, "", "● It begins."]
    for number in range(8):
        draw(reader, rows, 1.0 + number * 0.4)
        rows.append(f"  row number {number}")
    assert reader.state is state


def test_one_notice_and_rows_a_person_scrolls_to_are_no_work() -> None:
    reader = SessionReader("claude", 60, 14)
    rows = ["❯ ask", "", "● It is long."] + [f"  row number {n}" for n in range(30)]
    draw(reader, rows[-8:], 1.0)
    reader.tick(5.0)
    for number, start in enumerate([20, 15, 10, 15, 20, 25]):
        draw(reader, rows[start : start + 8], 10.0 + number * 0.3)
        reader.tick(10.2 + number * 0.3)
    assert reader.state is State.IDLE
    draw(reader, [*rows[-8:], "", "● A notice."], 20.0)
    reader.tick(20.9)
    assert {change.state for change in reader.status} == {State.IDLE}


def test_rows_that_come_as_somebody_types_complete_what_is_typed() -> None:
    for typed, state in (("/model", State.IDLE), ("", State.WORKING)):
        reader = SessionReader("claude", 60, 30)
        rows = ["❯ ask", "", "● It is so."]
        for number in range(6):
            box = [RULE, f"❯ {typed[: number + 1]}", RULE]
            screen = "\r\n".join([*rows, "", *box])
            cursor = f"\x1b[{len(rows) + 3};{3 + len(box[1][2:])}H"
            screen = f"\x1b[?1049h\x1b[H\x1b[J{screen}{cursor}"
            reader.output(screen.encode(), 1.0 + number * 0.4)
            rows.append(f"  /command-{number} does it")
        assert reader.state is state, typed
