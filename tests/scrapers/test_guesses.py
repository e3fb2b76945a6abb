"""An agent that no rules know: its words are kept or a gap says so, and idle is never claimed."""

import pytest

from dejavu.model import Role
from dejavu.scrapers import SessionReader, State, read
from dejavu.screen import Snapshot

BOX = ["─" * 60, "❯ ", "─" * 60]


def seen(*frames: list[str], agent: str = "nobody-knows", every: float = 1.0) -> SessionReader:
    """A reader of frames, a second apart."""
    reader = SessionReader(agent, 80, 24)
    at = 0.0
    for number, rows in enumerate(frames):
        at = number * every
        reader.output(("\x1b[2J\x1b[H" + "\r\n".join(rows)).encode(), at)
        for tick in range(1, 20):
            reader.tick(at + tick * 0.05)
    for tick in range(60):
        reader.tick(at + 1.0 + tick * 0.1)
    return reader


@pytest.mark.fault("G1")
def test_rows_between_two_prompts_are_the_answer_and_marked() -> None:
    said = ["Two plain rows of an answer,", "with no mark before them."]
    reader = seen(
        ["❯ what is it?", "", *BOX],
        ["❯ what is it?", "", *said, "", *BOX],
        ["❯ what is it?", "", *said, "", "❯ and now?", "", "More plain words.", "", *BOX],
    )
    turns = [(turn.role, turn.text) for turn in reader.turns]
    assert turns == [
        (Role.USER, "what is it?"), (Role.ASSISTANT, "\n".join(said)),
        (Role.USER, "and now?"), (Role.ASSISTANT, "More plain words."),
    ]  # fmt: skip
    assert all(turn.meta.get("low") for turn in reader.turns)


@pytest.mark.fault("G1")
def test_where_no_prompt_is_known_there_is_a_gap() -> None:
    reader = seen(["Some agent", "", "[you] what is it?", "", "Plain words."])
    reader.exit(0, 20.0)
    assert reader.turns == ()
    assert "no prompt was recognised" in reader.gaps[-1].reason


def test_idle_is_never_claimed() -> None:
    reader = seen(["❯ what is it?", "", "Plain words.", "", *BOX])
    assert reader.state is State.UNKNOWN
    assert State.IDLE not in {change.state for change in reader.status}


@pytest.mark.fault("G2")
def test_a_quoted_dialog_above_an_input_box_is_not_blocked() -> None:
    quoted = [
        "An older tool asked:",
        "Do you want to proceed?",
        "❯ 1. Yes",
        "  2. No",
        "Esc to cancel",
        "",
    ]
    assert read("auto", Snapshot.from_rows([*quoted, *BOX])).state is not State.BLOCKED
    assert seen([*quoted, *BOX]).state is not State.BLOCKED


def test_choices_above_a_prompt_that_the_cursor_is_in_are_quoted() -> None:
    quoted = ["An older tool asked:", "Do you want to proceed?", "> 1. Yes", "  2. No", ""]
    assert seen([*quoted, "› "]).state is not State.BLOCKED
    assert seen([*quoted, "\x1b[?25l"]).state is State.BLOCKED, "no cursor: it is the dialog"


@pytest.mark.fault("D1")
@pytest.mark.parametrize(
    "rows",
    [
        [
            "Pick what to do",
            "",
            "  one",
            "  two",
            "",
            "↑/↓ to navigate · Enter to",
            "select · Esc to cancel",
        ],
        [
            "◆ approval required (Press ↑/↓ to move, Enter to select, letters to filter)",
            "‣ Allow",
            "  Deny",
        ],
    ],
)
def test_keys_in_the_last_paragraph_ask_a_person_at_any_width(rows: list[str]) -> None:
    assert read("auto", Snapshot.from_rows(rows)).state is State.BLOCKED
    assert read("auto", Snapshot.from_rows([*rows, "", *BOX])).state is not State.BLOCKED


QUOTED = ["An older tool asked:", "Do you want to proceed?", "❯ 1. Yes", "  2. No", ""]


@pytest.mark.parametrize(
    "below",
    [
        ["› Name the colour\x1b[?25h"],
        ["  ┃", "  ┃  \x1b[s", "  ┃  Build", "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\x1b[u\x1b[?25h"],
        ["╭" + "─" * 30 + "╮", "│ > How did it ask?             │", "╰" + "─" * 30 + "╯\x1b[?25l"],
    ],
)
def test_choices_are_quoted_where_a_text_field_is_below_them(below: list[str]) -> None:
    assert seen([*QUOTED, *below]).state is State.UNKNOWN


def test_what_was_at_work_is_unknown_soon_after_it_stands_still() -> None:
    reader = SessionReader("nobody-knows", 80, 24)
    for turn, glyph in enumerate("⠋⠙⠹⠸⠼⠴⠦⠧"):
        reader.output(f"\x1b[2J\x1b[H{glyph} Reading".encode(), turn * 0.1)
        reader.tick(turn * 0.1 + 0.05)
    assert reader.state is State.WORKING
    reader.output(b"\x1b[2J\x1b[HAn answer.", 0.8)
    for tick in range(10):
        reader.tick(0.8 + tick * 0.1)
    assert reader.state is State.UNKNOWN
