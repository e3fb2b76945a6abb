"""Answering what an agent asks, and interrupting it, by its own keys.

No key goes into a dialog that was not read. A dialog is answered as a person would: the pointer
goes to the choice by the arrow keys, the screen is read again after each, and Enter follows only
once the pointer was seen to move and is seen at the choice. Keys that others type meanwhile end the
attempt before its Enter: it begins again from what the screen shows then. What is asked by a letter gets the
letter that the dialog names; Enter follows that, or a text, only once it is seen in its field.
Where how to answer was not read, the refusal names the keys that the dialog does. Nothing is
entered where the dialog is another than the one that was read, and an answered dialog must be gone.
Costs a few readings of the session's status, bounded in time.
"""

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from dejavu.model import CaptureError, InvalidValueError, KeysBetweenError, NotFoundError
from dejavu.scrapers import key_hints

from .delivery import NotAcceptedError, Receipt
from .observer.screen_server import look
from .send_input import InputRefusedError, hands_off, press, type_into
from .session_store import SessionView, load

__all__ = ["answer", "interrupt"]

_EACH = 2.0  # seconds in which a key must show on the screen as it is read
_AFTERWARDS = 5.0  # seconds in which an answered dialog must be gone, an interrupted agent at rest
_AGAIN = 0.05  # seconds between two looks
_DRAWN = 0.4  # seconds that a dialog takes to be drawn whole
_HOLDS = 0.15  # seconds that a pointer must stay where it is seen: a pane's other keys are not
_NO_EFFECT = 1.5  # seconds after which a choice that is still pointed at was not taken
_NAMES_ESCAPE = re.compile(r"(?i)\(esc(?:ape)?\b[^()]*\)$")
_ATTEMPTS = 3  # times that a choice is tried where others type meanwhile
_HINT_ROWS = 24  # rows at the bottom of the screen among which a dialog names its keys
_HINT = re.compile(
    r"(?i)\b(?P<key>esc(?:ape)?|ctrl[ +-]c|\^c)\b(?P<twice>\W{1,3}(?:again|twice|(?P=key))\b)?\W{1,3}"
    r"(?P<again>again |twice )?(?:to )?(?:interrupt|cancel|stop|abort|pause)"
)
_BETWEEN = 0.15  # seconds between two presses of one key: programs tell one from the other by less
_IDENTITY = ("kind", "question", "choices", "subject")
"""What makes a dialog the same: the command that it asks about is in its subject."""

_ECHOED = 40  # characters at a text's end by which it is known on the screen
_SIDES = " │┃|█▌▏_"  # a field's border, and a cursor that is drawn
_SAID = 200  # characters of a dialog, or of what was wanted, in a message
_Asked = Mapping[str, Any]
_Screen = tuple[list[str], tuple[int, ...]]


def answer(view: SessionView, wanted: str, *, asked: _Asked | None = None, expect: str = "") -> str:
    """Choose in the dialog of a blocked session, or type what is asked for; return the choice.

    wanted: a choice's number from 1, its label or the beginning of one; where a text is asked for,
    that. asked: the dialog as it was read, None: as it is now. expect: a text that must be in the
    question or in what is asked about.

    Raises:
        InvalidValueError: no choice, or more than one, is meant.
        InputRefusedError: nothing is asked, or something else by now, or how to answer was not
            read, or the choice was not seen pointed at; nothing was entered.
        NotFoundError: the session has ended, or takes no input.
        NotAcceptedError: the answer was entered, and the dialog is still there.
    """
    if not view.live:
        raise NotFoundError(f"{view.label} {view.end}; `dejavu status` shows what runs")
    dialog = _open_dialog(view, drawn=asked is None)
    if asked is not None and not _same(dialog, asked):
        raise InputRefusedError(f"{view.label} asks something else by now: {_dialog_text(dialog)}")
    if expect and expect not in f"{dialog['question']}\n{dialog.get('subject', '')}":
        raise InputRefusedError(
            f"{view.label} does not ask about {expect!r}: {_dialog_text(dialog)}"
        )
    choices, typed = list(dialog["choices"]), None
    if dialog.get("takes_text") and wanted.strip() and not _means_choice(wanted, choices):
        chosen, typed = wanted, _type_text(view, wanted)
    elif choices:
        number = _choice_index(wanted, choices)
        chosen, typed = str(choices[number]), _choose(view, dialog, number)
        _press_named_key(view, dialog, chosen)
    else:
        raise InputRefusedError(_unread(view))
    if _until(lambda: _is_gone(view, dialog, typed), _AFTERWARDS):
        return chosen
    problem = f"{chosen!r} was entered, and it asks the same; look before you answer again"
    raise NotAcceptedError(f"{view.label}: {problem}", Receipt(True, True, False, problem))


def interrupt(view: SessionView) -> str:
    """Interrupt what a session does, by the key that its screen names, else Escape.

    Pressed twice where its screen says so, before (`esc esc`) or after the first (`esc again`). Return
    the state it is in afterwards; it may go on where it did not listen.

    Raises:
        InputRefusedError: it does nothing that could be interrupted.
        NotFoundError: the session has ended, or takes no input.
    """
    if not view.live:
        raise NotFoundError(f"{view.label} {view.end}; `dejavu status` shows what runs")
    if view.state not in ("working", "blocked", "unknown"):
        raise InputRefusedError(f"{view.label} is {view.state}: nothing to interrupt")
    hint = _hint(view)
    key = "Escape" if hint is None or hint["key"].lower().startswith("esc") else "Ctrl+C"
    presses = 2 if _wants_two(hint) else 1
    press(view, [key] * presses, pause=_BETWEEN)
    end = time.monotonic() + _AFTERWARDS
    while _state(view) in ("working", "blocked") and time.monotonic() < end:
        if presses == 1 and _wants_two(_hint(view)):
            presses = 2
            press(view, [key])
        time.sleep(_AGAIN)
    return _state(view)


def _wants_two(hint: re.Match[str] | None) -> bool:
    """Whether a key is to be pressed twice: `esc again to interrupt`, `esc esc`."""
    return hint is not None and bool(hint["twice"] or hint["again"])


def _open_dialog(view: SessionView, *, drawn: bool) -> _Asked:
    """What a session asks; raise InputRefusedError where that is not known.

    drawn: once it has been asked for a moment, since labels may grow while a dialog is drawn.
    """
    while drawn and (now := load(view.folder)) is not None and now.state == "blocked":
        if not 0 <= time.time() - now.status.since < _DRAWN:
            break
        time.sleep(_AGAIN)
    dialog = _asks(view)
    if dialog is None:
        raise InputRefusedError(f"{view.label} asks nothing: it is {_state(view)}")
    return dialog


def _asks(view: SessionView) -> _Asked | None:
    now = load(view.folder)
    return now.status.blocked if now is not None and now.live and now.state == "blocked" else None


def _state(view: SessionView) -> str:
    now = load(view.folder)
    return "exited" if now is None else now.state


def _same(dialog: _Asked | None, other: _Asked | None) -> bool:
    """Whether two readings are of one dialog, wherever its pointer is."""
    if dialog is None or other is None:
        return dialog is other
    # Equal lists: what was read as JSON and what a caller was given differ in their types alone.
    return all(_value(dialog, name) == _value(other, name) for name in _IDENTITY)


def _value(dialog: _Asked, name: str) -> Any:
    value = dialog.get(name) or ""
    return list(value) if name == "choices" else value


def _dialog_text(dialog: _Asked) -> str:
    return f"{dialog.get('question', '')} {list(dialog.get('choices', ()))}"[:_SAID]


def _means_choice(wanted: str, choices: list[str]) -> bool:
    try:
        _choice_index(wanted, choices)
    except InvalidValueError:
        return False
    return True


def _choice_index(wanted: str, choices: list[str]) -> int:
    """The index of the choice that is meant."""
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
    raise InvalidValueError(f"{problem} {wanted[:_SAID]!r}; choose one of: {listed}")


def _unread(view: SessionView) -> str:
    """Why nothing is entered where how to answer was not read, and what a person can do."""
    hints = key_hints(_shown(view)[-_HINT_ROWS:])
    says = f"; its screen says: {' / '.join(hints[-3:])[:_SAID]!r}" if hints else ""
    return (
        f"{view.label}: how to answer its dialog was not read; nothing was entered{says}. "
        f"Press its keys (`dejavu send {view.label} --key KEY`), "
        f"or answer by hand: `dejavu attach {view.label}`"
    )


def _choose(view: SessionView, dialog: _Asked, number: int) -> _Screen | None:
    """Choose by the dialog's letters or by its pointer, with no key of others in between."""
    keys = list(dialog.get("keys") or ())
    for _ in range(_ATTEMPTS):
        input_offset = hands_off(view)
        try:
            if keys:
                return _press_letter(view, dialog, keys[number], input_offset)
            input_offset = _point_at(view, dialog, number, input_offset)
            press(view, ["Enter"], after=input_offset)
        except KeysBetweenError:
            _refuse_other(view, dialog)
        else:
            return None
    raise InputRefusedError(f"{view.label}: others type into it; nothing was entered")


def _press_named_key(view: SessionView, dialog: _Asked, chosen: str) -> None:
    """Press the key in a choice's own label, where Enter did not take the choice.

    Behind some refusals words may be typed first: Enter waits for these, and `(Esc to stop)` does not.
    """
    if _NAMES_ESCAPE.search(chosen) is None or _until(
        lambda: _pointer(view, dialog) != chosen, _NO_EFFECT
    ):
        return
    with suppress(KeysBetweenError):
        press(view, ["Escape"], after=hands_off(view))


def _press_letter(
    view: SessionView, dialog: _Asked, letter: str, input_offset: int
) -> _Screen | None:
    """Press a choice's letter; Enter only where the letter is seen typed behind the question.

    Return the screen with the letter typed, None where the letter alone is enough.
    """
    before = _last(_shown(view))
    input_offset = press(view, [letter], after=input_offset)
    typed: list[_Screen] = []

    def seen() -> bool:
        screen = _screen(view)
        typed[:] = [screen] if _last(screen[0]) == before + letter else []
        return bool(typed) or not _same(_asks(view), dialog)

    _until(seen, _EACH)
    if not typed:
        return None
    try:
        press(view, ["Enter"], after=input_offset)
    except KeysBetweenError:
        raise InputRefusedError(
            f"{view.label}: {letter!r} was typed, and others typed more; Enter was not pressed"
        ) from None
    return typed[0]


def _type_text(view: SessionView, text: str) -> _Screen:
    """Type a text and Enter, once the text is seen; return the screen with the text typed."""
    before, end = _shown(view), "".join(text.split())[-_ECHOED:]
    type_into(view, text, enter=False, force=True)

    def seen() -> bool:
        return "".join(_bare(row) for row in _shown(view) if row not in before).endswith(end)

    if not _until(seen, _EACH):
        raise InputRefusedError(
            f"{view.label}: the text was typed and is not seen in its field, so Enter was not "
            f"pressed; look at it: `dejavu attach {view.label}`"
        )
    typed = _screen(view)
    press(view, ["Enter"])
    return typed


def _is_gone(view: SessionView, dialog: _Asked, typed: _Screen | None) -> bool:
    """Whether a dialog is over, and not only hidden by what was `typed` into it."""
    now = _asks(view)
    if now is not None and now.get("takes_text") and not dialog.get("takes_text"):
        return True  # the choice was taken: it asks for words
    is_there = _same(now, dialog) or (now is not None and _is_redrawn(now, dialog))
    return not is_there and (typed is None or _screen(view) != typed)


def _is_redrawn(now: _Asked, dialog: _Asked) -> bool:
    """Whether a dialog only has more or fewer rows above it, as while a window changes its size."""
    if not _same({**now, "subject": ""}, {**dialog, "subject": ""}):
        return False
    rows, before = ({*str(one.get("subject", "")).splitlines()} for one in (now, dialog))
    return rows <= before or before <= rows


def _screen(view: SessionView) -> _Screen:
    """The rows of the screen, redacted, and its cursor; none where it cannot be seen."""
    try:
        shown = look(view.folder)
    except (CaptureError, NotFoundError):
        return [], ()
    return [str(row).rstrip() for row in shown.get("rows", ())], tuple(shown.get("cursor", ()))


def _shown(view: SessionView) -> list[str]:
    return _screen(view)[0]


def _last(rows: list[str]) -> str:
    """The last row with words, without blanks, borders and a drawn cursor."""
    return next((bare for row in reversed(rows) if (bare := _bare(row))), "")


def _bare(row: str) -> str:
    return "".join(row.strip(_SIDES).split())


def _point_at(view: SessionView, dialog: _Asked, target: int, input_offset: int) -> int:
    """Move the pointer to a choice, a key at a time, each seen before the next.

    Where it is there already it goes to a neighbour and back: what does not move is no pointer.
    Return how many bytes of input the session has had then.
    """
    now = _asks(view)
    choices, pointed = list(dialog["choices"]), (now or dialog).get("default")
    _refuse_other(view, dialog)
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
    time.sleep(_HOLDS)
    _refuse_other(view, dialog)
    if _pointer(view, dialog) != choices[target]:
        raise InputRefusedError(f"{view.label}: its pointer moved; nothing was entered")
    return input_offset


def _move(view: SessionView, dialog: _Asked, at: int, to: int, input_offset: int) -> int:
    """Move the pointer to a choice next to it; raise InputRefusedError where it does not go."""
    ahead, back = ("Right", "Left") if dialog.get("across") else ("Down", "Up")
    input_offset = press(view, [ahead if to > at else back], after=input_offset)
    wanted = dialog["choices"][to]
    if not _pointed(view, dialog, wanted):
        _refuse_other(view, dialog)
        raise InputRefusedError(
            f"{view.label}: its pointer did not go to {wanted!r}; nothing was entered"
        )
    return input_offset


def _refuse_other(view: SessionView, dialog: _Asked) -> None:
    """Raise InputRefusedError where another dialog is there by now, or none."""
    if not _same(now := _asks(view), dialog):
        what = "nothing" if now is None else f"something else by now: {_dialog_text(now)}"
        raise InputRefusedError(f"{view.label} asks {what}; nothing was entered")


def _pointed(view: SessionView, dialog: _Asked, wanted: str) -> bool:
    """Whether the pointer comes to a choice in time."""
    return _until(lambda: _pointer(view, dialog) == wanted, _EACH)


def _pointer(view: SessionView, dialog: _Asked) -> str | None:
    """The choice pointed at, as long as it is the same dialog."""
    now = _asks(view)
    return now.get("default") if now is not None and _same(now, dialog) else None


def _hint(view: SessionView) -> re.Match[str] | None:
    """The lowest row that names a key to interrupt with."""
    return next(filter(None, map(_HINT.search, reversed(_shown(view)))), None)


def _until(question: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not question():
        if time.monotonic() > end:
            return False
        time.sleep(_AGAIN)
    return True
