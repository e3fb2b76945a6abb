"""The lines of what a search found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from dejavu.archive import Hit
from dejavu.interfaces.command_line import hit_lines as lines
from dejavu.interfaces.command_line.hit_lines import hit_lines
from dejavu.interfaces.search_answer import FoundConversation
from dejavu.model import Conversation, Role

SUMMARY = Conversation(
    id="c" * 16, agent="claude", native_id="s", workspace="/work/shop", title="Retries"
)


def _hit(seq: int, excerpt: str, *marks: tuple[int, int]) -> Hit:
    return Hit(SUMMARY.id, seq, Role.USER, 1.0, excerpt, None, "claude", marks)


def _lines(*hits: Hit) -> list[str]:
    more = max(0, len(hits) - 3)
    return list(hit_lines([FoundConversation(SUMMARY, hits[:3], more)]))


def test_a_conversation_shows_three_hits_and_counts_the_rest() -> None:
    shown = _lines(*(_hit(seq, f"text {seq}") for seq in range(9)))
    assert [line.rpartition(" ")[2] for line in shown[1:-1]] == ["0", "1", "2"]
    assert shown[-1] == "  6 more in this conversation"
    assert "more in" not in _lines(*(_hit(seq, f"text {seq}") for seq in range(3)))[-1]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "on_terminal", lambda: True)
    monkeypatch.setattr(lines, "width", lambda: 80)
    monkeypatch.setattr(lines, "coloured", lambda: False)


@pytest.mark.usefixtures("narrow")
def test_what_was_found_is_in_the_part_of_the_excerpt_that_fits() -> None:
    [_, line] = _lines(_hit(0, "a" * 200 + " budget " + "b" * 200, (201, 207)))
    assert "budget" in line
    assert line.count("…") == 2


@pytest.mark.usefixtures("narrow")
def test_a_cut_keeps_the_blank_behind_what_was_found() -> None:
    [_, line] = _lines(_hit(0, "Add a retry budget to the " + "b " * 80, (6, 11), (12, 18)))
    assert "a retry budget to the b" in line
    assert line.endswith("…")


@pytest.mark.usefixtures("narrow")
@given(st.text(max_size=200), st.integers(0, 200), st.integers(1, 20))
def test_no_line_is_wider_than_the_terminal(text: str, start: int, size: int) -> None:
    for line in _lines(_hit(0, text, (start, start + size))):
        assert wcswidth(line) <= 80
