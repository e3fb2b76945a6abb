"""Emoji of several characters: one cell where asked for, several as in xterm.js where not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dejavu.screen import Terminal

CODER, THUMB, FLAGS = "🧑\u200d💻", "👍🏽", "🇩🇪🇯🇵"


def shown(text: str, *, graphemes: bool = True, columns: int = 20) -> tuple[str, int]:
    terminal = Terminal(columns, 3, graphemes=graphemes)
    terminal.feed(text.encode())
    snapshot = terminal.snapshot()
    return snapshot.rows[0].rstrip(), snapshot.cursor[1]


@pytest.mark.parametrize(
    ("text", "width"), [(CODER, 2), (THUMB, 2), (FLAGS, 4), ("👩\u200d👩\u200d👧", 2)]
)
def test_a_cluster_takes_two_columns(text: str, width: int) -> None:
    assert shown(text) == (text, width)


@pytest.mark.parametrize(("text", "width"), [(CODER, 4), (THUMB, 4), (FLAGS, 4)])
def test_unasked_it_is_as_in_xterm(text: str, width: int) -> None:
    assert shown(text, graphemes=False) == (text, width)


def test_an_agent_that_counts_by_clusters_overwrites_nothing() -> None:
    drawn = f"is {CODER}\x1b[6G mean"
    assert shown(drawn) == (f"is {CODER} mean", 10)
    assert shown(drawn, graphemes=False)[0] == "is 🧑\u200d mean"


def test_who_asks_about_mode_2027_counts_as_it_is_told() -> None:
    assert shown(f"\x1b[?2027$p{CODER}")[1] == 4
    assert shown(f"\x1b[?2027$p\x1b[?2027h{CODER}")[1] == 2
    assert shown(f"\x1b[?2027h{CODER}", graphemes=False)[1] == 4


def test_what_came_between_ends_a_cluster() -> None:
    assert shown("🧑\u200d\x1b[1m💻")[1] == 4
    assert shown("🇩 🇪")[1] == 3
    assert shown("a🏽")[1] == 3  # a tone on no hand is a square of its own


def test_a_flag_at_the_margin_stays_in_two_cells() -> None:
    terminal = Terminal(3, 2, graphemes=True)
    terminal.feed("ab🇩🇪".encode())
    assert [row.rstrip() for row in terminal.snapshot().rows] == ["ab🇩", "🇪"]


@example(["\x1b[2G", "\u200d", "🧑"], 0, 3)
@example(["🇩", "\x1b[2G", "🇪"], 0, 3)
@given(
    st.lists(
        st.sampled_from(
            ["🧑", "💻", "\u200d", "🏽", "🇩", "🇪", "a", "字", "\u0301", "\ufe0f", "\x1b[2G", "\r"]
        ),
        max_size=14,
    ),
    st.integers(0, 40),
    st.integers(2, 12),
)
def test_cuts_do_not_matter_and_rows_stay_whole(pieces: list[str], cut: int, columns: int) -> None:
    data = "".join(pieces).encode()
    whole, parts = Terminal(columns, 3, graphemes=True), Terminal(columns, 3, graphemes=True)
    whole.feed(data)
    parts.feed(data[:cut])
    parts.feed(data[cut:])
    assert whole.snapshot().rows == parts.snapshot().rows
    assert whole.snapshot().cursor == parts.snapshot().cursor
    copy = Terminal(columns, 3, graphemes=True)
    copy.feed(whole.dump())
    assert copy.snapshot().rows == whole.snapshot().rows
