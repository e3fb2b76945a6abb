"""What stands over a conversation for a while, and a screen that a resize tore, are not read."""

import pytest

from dejavu.model import Role
from dejavu.scrapers import SessionReader
from dejavu.scrapers.panes import WHOLE

BOX = ["─" * 78, "❯ ", "─" * 78, "  ? for shortcuts"]
SAID = [
    f"● Row number {n} of an answer that goes from one edge nearly to the other one"
    for n in range(4)
]
TALK = ["❯ tell me more about it", "", *SAID, "", *BOX]


def draw(reader: SessionReader, rows: list[str], at: float) -> None:
    reader.output(("\x1b[?1049h\x1b[2J\x1b[H" + "\r\n".join(rows)).encode(), at)
    for tick in range(1, 30):
        reader.tick(at + tick * 0.05)


def said(reader: SessionReader) -> list[tuple[Role, str]]:
    return [(turn.role, turn.text) for turn in reader.turns]


def talk(agent: str = "claude") -> tuple[SessionReader, list[tuple[Role, str]]]:
    reader = SessionReader(agent, 80, 24)
    draw(reader, TALK, 0.0)
    return reader, said(reader)


@pytest.mark.fault("T4")
def test_a_box_over_known_rows_is_no_conversation() -> None:
    reader, before = talk()
    assert len(before) == 2
    box = ["╭" + "─" * 38 + "╮", "│" + " ❯ a command nobody typed".ljust(38) + "│",
           "│" + " > another".ljust(38) + "│", "╰" + "─" * 38 + "╯"]  # fmt: skip
    rows = list(TALK)
    for number, row in enumerate(box):
        under = rows[2 + number].ljust(80)
        rows[2 + number] = (under[:20] + row + under[60:]).rstrip()
    draw(reader, rows, 5.0)
    assert said(reader) == before
    draw(reader, TALK, 10.0)
    assert said(reader) == before
    assert reader.gaps == ()


@pytest.mark.fault("T4")
def test_a_page_that_a_key_closes_is_no_conversation() -> None:
    reader, before = talk("nobody-knows")
    page = ["Keys", "", "❯ opens the list", "> goes on", "", "  Esc to close · ↑/↓ to scroll"]
    draw(reader, page, 5.0)
    draw(reader, TALK, 10.0)
    assert said(reader) == before


def test_a_table_that_an_agent_draws_is_read() -> None:
    reader, _ = talk()
    table = [
        "  ┌───────────┬──────────┐",
        "  │ trade     │ tools    │",
        "  └───────────┴──────────┘",
    ]
    draw(reader, [*TALK[:6], *table, *TALK[6:]], 5.0)
    assert "trade" in said(reader)[-1][1]


@pytest.mark.fault("T2")
def test_a_screen_that_a_resize_tore_is_read_once_it_is_whole() -> None:
    reader, before = talk()
    reader.resize(60, 24, 5.0)
    reader.output("\x1b[H❯ tell me m● Row numb\r\n❯ torn and nobody said it".encode(), 5.05)
    reader.tick(5.2)
    assert said(reader) == before
    whole = ["❯ tell me more about it", ""]
    for row in SAID:
        whole += [row[:57].rpartition(" ")[0], "  " + row[:57].rpartition(" ")[2] + row[57:]]
    draw(reader, [*whole, "", *(row[:58] for row in BOX)], 5.3)
    reader.tick(7.0)
    assert [turn for turn in said(reader) if turn[0] is Role.USER] == [before[0]]
    words = " ".join(said(reader)[1][1].split())
    assert "Row number 3 of an answer that goes" in words
    assert "torn" not in repr(said(reader))


@pytest.mark.parametrize(("field", "said_more"), [(True, False), (False, True)])
def test_a_screen_is_whole_only_with_the_text_field_that_it_had(
    field: bool, said_more: bool
) -> None:
    """OpenCode at work for long paints over a size that has changed once more."""
    reader = SessionReader("claude", 80, 24)
    draw(reader, TALK if field else TALK[:-5], 0.0)
    before = said(reader)
    reader.resize(90, 24, 5.0)
    draw(reader, [*TALK[:6], "", "❯ torn and nobody said it"], 5.1)
    assert (said(reader) != before) is said_more
    draw(reader, TALK, 8.0)
    assert said(reader)[:2] == before[:2]


def test_a_text_field_that_stays_away_is_waited_for_only_a_while() -> None:
    reader, before = talk()
    reader.resize(90, 24, 5.0)
    draw(reader, [*TALK[:6], "", "● It is answered."], 5.1)
    assert said(reader) == before
    reader.tick(5.2 + WHOLE)
    assert "It is answered." in said(reader)[-1][1]
