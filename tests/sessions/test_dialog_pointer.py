"""Lists that scroll, answered in a real terminal: each choice, seen or not, by number and by words."""

from pathlib import Path

import pytest
from tests.factories.dialogs import Dialog, drawn, shown_blocked, taken

from dejavu.model import InvalidValueError
from dejavu.sessions.answer import answer
from dejavu.sessions.dialog_pointer import same

TREES = ["Amber", "Birch", "Cedar", "Damson", "Elder", "Fir", "Gorse"]
WINDOW = 3


def scrolling(*, wraps: bool, at: int = 0) -> Dialog:
    """A list of which three rows are seen, as far down as its pointer has to be."""
    frames = []
    for pointed in range(len(TREES)):
        top = max(0, min(pointed - 1, len(TREES) - WINDOW))
        rows = [
            f"{'●' if n == pointed else ' '} {n + 1}. {TREES[n]}" for n in range(top, top + WINDOW)
        ]
        frames.append(
            ["Which tree shall I plant?", "", "▲", *rows, "▼", "", "Enter to select · Esc"]
        )
    return Dialog(TREES, frames, at=at, wraps=wraps)


@pytest.mark.parametrize("wraps", [True, False])
@pytest.mark.parametrize(
    ("wanted", "number"), [("1", 1), ("4", 4), ("7", 7), ("Gorse", 7), ("bi", 2), ("Damson", 4)]
)
def test_a_choice_of_a_list_that_scrolls_is_taken_seen_or_not(
    home: Path, tmp_path: Path, wraps: bool, wanted: str, number: int
) -> None:
    with drawn(scrolling(wraps=wraps, at=3), tmp_path, "demo", "80x24") as view:
        now = shown_blocked(view, "Which tree")
        assert now is not None
        asked = now.status.blocked or {}
        assert (asked["first"], asked["more"], asked["choices"]) == (3, True, TREES[2:5])
        assert answer(view, wanted, asked=asked) == TREES[number - 1]
        assert taken(tmp_path) == [TREES[number - 1]]


def test_what_the_list_does_not_have_is_refused(home: Path, tmp_path: Path) -> None:
    with drawn(scrolling(wraps=False), tmp_path, "demo", "80x24") as view:
        assert shown_blocked(view, "Which tree")
        with pytest.raises(InvalidValueError, match="its list ends at 7"):
            answer(view, "9")
        with pytest.raises(InvalidValueError, match="7 Gorse"):
            answer(view, "Hazel")
        assert taken(tmp_path) == []


def test_a_list_is_the_same_wherever_it_has_scrolled_to() -> None:
    one = {
        "kind": "question",
        "question": "Which?",
        "choices": ["a", "b"],
        "first": 1,
        "more": True,
    }
    assert same(one, {**one, "choices": ["b", "c"], "first": 2})
    assert not same(one, {**one, "question": "Whose?"})
    assert not same({**one, "more": False}, {**one, "choices": ["b", "c"], "more": False})
