"""The dialog that a session shows now, and its pointer: which choice is meant, and the way to it.

The pointer goes by the arrow keys, a key at a time, each seen before the next: what was not seen to
move is no pointer. A list that scrolls shows a part of its choices, and the others as the pointer comes
to them. Another dialog ends the way. Never presses Enter, and judges no answer: that is `answer`'s.
Costs a reading of the session's status a look, bounded in time.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dejavu.model import InvalidValueError

from .send_input import InputRefusedError, press
from .session_store import SessionView, load

__all__ = [
    "EACH", "SAID", "Asked", "asks", "choice_index", "dialog_text", "point_at", "pointed_at",
    "refuse_other", "same", "scroll_to", "until",
]  # fmt: skip

EACH = 2.0
"""Seconds in which a key must show on the screen as it is read."""

SAID = 200
"""Characters of a dialog, or of what was wanted, in a message."""

Asked = Mapping[str, Any]
"""A dialog, as the session's status has it."""

_AGAIN = 0.05  # seconds between two looks
_HOLDS = 0.15  # seconds that a pointer must stay where it is seen: a pane's other keys are not
_LONGEST = 100  # keys that a list which scrolls may take
_IDENTITY = ("kind", "question", "choices", "subject")
"""What makes a dialog the same: the command that it asks about is in its subject."""

_Place = tuple[int, str]  # the number and the label of the choice that is pointed at


def asks(view: SessionView) -> Asked | None:
    """What a session asks now; None where it asks nothing."""
    now = load(view.folder)
    return now.status.blocked if now is not None and now.live and now.state == "blocked" else None


def same(dialog: Asked | None, other: Asked | None) -> bool:
    """Whether two readings are of one dialog, wherever its pointer is and its list has scrolled to."""
    if dialog is None or other is None:
        return dialog is other
    scrolls = bool(dialog.get("more") and other.get("more"))
    names = [name for name in _IDENTITY if not (scrolls and name == "choices")]
    # Equal lists: what was read as JSON and what a caller was given differ in their types alone.
    return all(_value(dialog, name) == _value(other, name) for name in names)


def _value(dialog: Asked, name: str) -> Any:
    value = dialog.get(name) or ""
    return list(value) if name == "choices" else value


def dialog_text(dialog: Asked) -> str:
    """A dialog in a message."""
    return f"{dialog.get('question', '')} {list(dialog.get('choices', ()))}"[:SAID]


def refuse_other(view: SessionView, dialog: Asked) -> None:
    """Raise InputRefusedError where another dialog is there by now, or none."""
    if not same(now := asks(view), dialog):
        what = "nothing" if now is None else f"something else by now: {dialog_text(now)}"
        raise InputRefusedError(f"{view.label} asks {what}; nothing was entered")


def pointed_at(view: SessionView, dialog: Asked) -> str | None:
    """The choice pointed at, as long as it is the same dialog."""
    now = asks(view)
    return now.get("default") if now is not None and same(now, dialog) else None


def until(question: Callable[[], bool], seconds: float) -> bool:
    """Ask again and again; whether it came true in time."""
    end = time.monotonic() + seconds
    while not question():
        if time.monotonic() > end:
            return False
        time.sleep(_AGAIN)
    return True


def choice_index(wanted: str, choices: Sequence[str]) -> int:
    """The index of the choice that is meant by its number, its label, or the beginning of one.

    Raises:
        InvalidValueError: no choice, or more than one, is meant.
    """
    if not wanted.strip():
        raise InvalidValueError("the choice is empty; give its number, its label or a beginning")
    if wanted.isdecimal() and 1 <= int(wanted) <= len(choices):
        return int(wanted) - 1
    folded = [choice.casefold() for choice in choices]
    matches = [n for n, choice in enumerate(folded) if choice == wanted.casefold()]
    matches = matches or [n for n, one in enumerate(folded) if one.startswith(wanted.casefold())]
    if len(matches) == 1:
        return matches[0]
    problem = "more than one choice begins with" if matches else "no choice is"
    listed = ", ".join(f"{number} {choice}" for number, choice in enumerate(choices, 1))
    raise InvalidValueError(f"{problem} {wanted[:SAID]!r}; choose one of: {listed}")


def point_at(view: SessionView, dialog: Asked, target: int, input_offset: int) -> int:
    """Move the pointer to a choice that is seen, by its index.

    Where it is there already it goes to a neighbour and back. Return how many bytes of input the
    session has had then.

    Raises:
        InputRefusedError: it did not go there, or is not the only one that reads so.
        KeysBetweenError: others have typed meanwhile.
    """
    now = asks(view)
    choices, pointed = list(dialog["choices"]), (now or dialog).get("default")
    refuse_other(view, dialog)
    if choices.count(pointed) != 1 or choices.count(choices[target]) != 1:
        raise InputRefusedError(f"{view.label}: two choices read alike; answer by hand")
    at = choices.index(pointed)
    if at == target:
        aside = at + 1 if at + 1 < len(choices) else at - 1
        input_offset = _move(view, dialog, at, aside, input_offset)
        at = aside
    while at != target:
        step = 1 if target > at else -1
        input_offset = _move(view, dialog, at, at + step, input_offset)
        at += step
    _hold(view, dialog, lambda: pointed_at(view, dialog) == choices[target])
    return input_offset


def _hold(view: SessionView, dialog: Asked, is_there: Callable[[], bool]) -> None:
    time.sleep(_HOLDS)
    refuse_other(view, dialog)
    if not is_there():
        raise InputRefusedError(f"{view.label}: its pointer moved; nothing was entered")


def _move(view: SessionView, dialog: Asked, at: int, to: int, input_offset: int) -> int:
    """Move the pointer to a choice next to it; raise InputRefusedError where it does not go."""
    ahead, back = ("Right", "Left") if dialog.get("across") else ("Down", "Up")
    input_offset = press(view, [ahead if to > at else back], after=input_offset)
    wanted = dialog["choices"][to]
    if not until(lambda: pointed_at(view, dialog) == wanted, EACH):
        refuse_other(view, dialog)
        raise InputRefusedError(
            f"{view.label}: its pointer did not go to {wanted!r}; nothing was entered"
        )
    return input_offset


# -- lists that scroll


def scroll_to(view: SessionView, dialog: Asked, wanted: str, input_offset: int) -> tuple[str, int]:
    """Move the pointer of a list that scrolls to the choice that is meant, seen or not.

    Return its label, and how many bytes of input the session has had then.

    Raises:
        InvalidValueError: no choice, or more than one, is meant.
        InputRefusedError: the pointer did not go there.
        KeysBetweenError: others have typed meanwhile.
    """
    began = place = _place(view, dialog)
    if wanted.isdecimal():
        target = int(wanted)
    else:
        labels, place, input_offset = _read_all(view, dialog, place, input_offset)
        target = 1 + choice_index(wanted, labels)
    for down in (True, False):
        if place == began and place[0] == target:  # it must be seen to move
            place, input_offset = _step(view, dialog, place, input_offset, down=down)
    if place == began and place[0] == target:
        raise InputRefusedError(f"{view.label}: its pointer did not move; nothing was entered")
    while place[0] != target:
        down = target > place[0]
        after, input_offset = _step(view, dialog, place, input_offset, down=down)
        if after == place or (after[0] > place[0]) != down:
            raise InvalidValueError(f"no choice is {wanted!r}; its list ends at {place[0]}")
        place = after
    _hold(view, dialog, lambda: _place(view, dialog) == place)
    return place[1], input_offset


def _place(view: SessionView, dialog: Asked) -> _Place:
    """Where the pointer is in a list that scrolls."""
    refuse_other(view, dialog)
    if (place := _seen_place(asks(view))) is None:
        raise InputRefusedError(f"{view.label}: two choices read alike; answer by hand")
    return place


def _seen_place(now: Asked | None) -> _Place | None:
    labels = _numbered(now)
    found = [
        entry for entry in labels.items() if now is not None and entry[1] == now.get("default")
    ]
    return found[0] if len(found) == 1 else None


def _numbered(dialog: Asked | None) -> dict[int, str]:
    """The choices that are seen, by their own numbers."""
    if dialog is None:
        return {}
    labels: list[str] = list(map(str, dialog["choices"]))
    return dict(enumerate(labels, int(dialog.get("first", 1))))


def _step(
    view: SessionView, dialog: Asked, place: _Place, input_offset: int, *, down: bool
) -> tuple[_Place, int]:
    """Press an arrow key once; where the pointer is then, which is the same place at an end."""
    input_offset = press(view, ["Down" if down else "Up"], after=input_offset)
    found = [place]

    def seen() -> bool:
        now = asks(view)
        found[0] = (_seen_place(now) if same(now, dialog) else None) or place
        return found[0] != place

    if not until(seen, EACH):
        refuse_other(view, dialog)
    return found[0], input_offset


def _read_all(
    view: SessionView, dialog: Asked, place: _Place, input_offset: int
) -> tuple[list[str], _Place, int]:
    """Go along the list until each of its choices was seen; these, and where the pointer is then."""
    labels, last, down = _numbered(asks(view)), 0, True
    for _ in range(_LONGEST):
        if last and all(number in labels for number in range(1, last + 1)):
            return [labels[number] for number in range(1, last + 1)], place, input_offset
        after, input_offset = _step(view, dialog, place, input_offset, down=down)
        if down and after[0] <= place[0]:  # behind its end it begins again, or goes no further
            last, down = place[0], after != place
        place = after
        labels |= _numbered(asks(view))
    raise InputRefusedError(
        f"{view.label}: the end of its list was not reached; nothing was entered"
    )
