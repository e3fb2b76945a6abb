import re

from hypothesis import given
from hypothesis import strategies as st

from dejavu.export.replay.ansi import sgr, styled, text_rows
from dejavu.screen import Style, Terminal

_SGR = ["0", "1", "2;3", "4", "4:3", "5", "7", "8", "9", "53", "31", "97", "42", "38;5;200"]
_SGR += ["48;2;1;2;3", "38;2;255;0;9", "58:2::7:8:9", "58:5:3", "22;23", "39;49;59"]


def _drawn(rows: list[str], columns: int, lines: int) -> Terminal:
    terminal = Terminal(columns, lines)
    for number, row in enumerate(rows, 1):
        terminal.feed(f"\x1b[{number};1H{row}".encode())
    return terminal


@given(
    st.lists(
        st.tuples(st.sampled_from(_SGR), st.text("ab 日語\n", max_size=9), st.integers(0, 11)),
        max_size=12,
    )
)
def test_what_is_painted_reads_back_as_it_was(words: list[tuple[str, str, int]]) -> None:
    terminal = Terminal(12, 4)
    for code, text, column in words:
        terminal.feed(f"\x1b[{column}G\x1b[{code}m{text}".replace("\n", "\r\n").encode())
    seen = terminal.snapshot()
    again = _drawn(styled(seen, 12), 12, 4).snapshot()
    assert (again.rows, again.styles) == (seen.rows, seen.styles)


@given(st.binary(max_size=400))
def test_nothing_of_the_agents_own_sequences_gets_through(data: bytes) -> None:
    terminal = Terminal(20, 5)
    terminal.feed(data)
    for row in styled(terminal.snapshot(), 20):
        text = re.sub(r"\x1b\[[0-9;:]*m", "", row)
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", "".join(text_rows(terminal.snapshot())))


def test_links_are_left_out_and_their_text_stays() -> None:
    terminal = Terminal(20, 2)
    terminal.feed(b"\x1b]8;;https://e.example\x1b\\here\x1b]8;;\x1b\\")
    assert "e.example" not in styled(terminal.snapshot(), 20)[0]
    assert text_rows(terminal.snapshot()) == ["here"]


def test_a_narrow_window_cuts_rows_and_half_a_wide_character_is_a_blank() -> None:
    terminal = Terminal(10, 2)
    terminal.feed("\x1b[31mab日cd".encode())
    assert styled(terminal.snapshot(), 3)[0] == "\x1b[0;38;5;1mab \x1b[0m"


def test_sgr_spells_the_underline_colour_with_colons() -> None:
    assert sgr(Style(underline=3, underline_color="#0102ff", fg=3)) == "0;4:3;38;5;3;58:2::1:2:255"


def test_plain_rows_end_with_the_last_one_that_shows_something() -> None:
    terminal = Terminal(10, 5)
    terminal.feed(b"\r\n x \r\n")
    assert text_rows(terminal.snapshot()) == ["", " x"]
