from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interfaces.tui.driving import screen  # noqa: F401 - skips without the library

from dejavu.interfaces.tui.find import Found, find, pattern_of
from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn


def turns(*texts: str) -> list[Turn]:
    return [Turn(role=Role.USER, seq=seq, parts=(Text(text),)) for seq, text in enumerate(texts)]


def look(held: Sequence[Turn], start: int, text: str, *, backwards: bool = False) -> Found | None:
    def fetch(first: int, stop: int) -> Sequence[Turn]:
        return held[first:stop]

    return find(fetch, len(held), start, pattern_of(text), backwards=backwards)


def test_it_goes_on_from_where_the_reader_is_and_around() -> None:
    held = turns("a pond", "x", "Pond", "x", "pond")
    assert look(held, 0, "pond") == Found(0, False, False)
    assert look(held, 1, "pond") == Found(2, False, False)
    assert look(held, 3, "a pond") == Found(0, True, False)
    assert look(held, 3, "pond", backwards=True) == Found(2, False, False)
    assert look(held, 0, "x", backwards=True) == Found(3, True, False)
    assert look(held, 0, "lake") is None
    assert look([], 0, "lake") is None


def test_letters_count_as_typed_and_capitals_where_there_are_any() -> None:
    held = turns("Why (a|b)?", "PATH")
    assert look(held, 0, "(a|b)") == Found(0, False, False)
    assert look(held, 0, "path") == Found(1, False, False)
    assert look(held, 0, "Path") is None


@pytest.mark.parametrize(
    ("part", "folded"),
    [
        (Text("the pond"), False),
        (Reasoning("the pond"), True),
        (ToolCall("1", "Bash", {"command": "ls pond"}), True),
        (ToolCallResponse("1", "pond.txt"), True),
    ],
)
def test_what_is_folded_is_looked_through_and_said(part: Text, folded: bool) -> None:
    held = [Turn(role=Role.ASSISTANT, seq=0, parts=(part,))]
    assert look(held, 0, "pond") == Found(0, False, folded)


@given(st.lists(st.booleans(), min_size=1, max_size=200), st.integers(0, 199), st.booleans())
def test_the_nearest_turn_of_all_windows_is_found(
    marks: list[bool], start: int, backwards: bool
) -> None:
    start %= len(marks)
    held = turns(*("pond" if mark else "-" for mark in marks))
    step = -1 if backwards else 1
    around = [(start + step * n) % len(marks) for n in range(len(marks))]
    expected = next((seq for seq in around if marks[seq]), None)
    found = look(held, start, "pond", backwards=backwards)
    assert (None if found is None else found.seq) == expected


def test_it_can_be_left() -> None:
    held = turns(*["-"] * 500)
    asked: list[int] = []

    def fetch(first: int, stop: int) -> Sequence[Turn]:
        asked.append(first)
        return held[first:stop]

    assert find(fetch, 500, 0, pattern_of("x"), stopped=lambda: len(asked) > 1) is None
    assert asked == [0, 64]
