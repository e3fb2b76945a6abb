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
from contextlib import suppress

from dejavu.model import CaptureError, InvalidValueError, KeysBetweenError, NotFoundError
from dejavu.scrapers import key_hints

from .delivery import NotAcceptedError, Receipt
from .dialog_pointer import (
    EACH,
    SAID,
    Asked,
    asks,
    choice_index,
    dialog_text,
    point_at,
    pointed_at,
    refuse_other,
    same,
    scroll_to,
    until,
)
from .observer.screen_server import look
from .send_input import InputRefusedError, hands_off, press, type_into
from .session_store import SessionView, load

__all__ = ["answer", "interrupt"]

_AFTERWARDS = 5.0  # seconds in which an answered dialog must be gone, an interrupted agent at rest
_AGAIN = 0.05  # seconds between two looks
_DRAWN = 0.4  # seconds that a dialog takes to be drawn whole
_NO_EFFECT = 1.5  # seconds after which a choice that is still pointed at was not taken
_NAMES_ESCAPE = re.compile(r"(?i)\(esc(?:ape)?\b[^()]*\)$")
_ATTEMPTS = 3  # times that a choice is tried where others type meanwhile
_HINT_ROWS = 24  # rows at the bottom of the screen among which a dialog names its keys
_HINT = re.compile(
    r"(?i)\b(?P<key>esc(?:ape)?|ctrl[ +-]c|\^c)\b(?P<twice>\W{1,3}(?:again|twice|(?P=key))\b)?\W{1,3}"
    r"(?P<again>again |twice )?(?:to )?(?:interrupt|cancel|stop|abort|pause)"
)
_SEEN = 24  # characters of a label by which its row is known; the rest may be wrapped
_LEAD = re.compile(r"^[\W_]*(?:\d{1,2}[.):\]])?[\W_]*")
_BETWEEN = 0.15  # seconds between two presses of one key: programs tell one from the other by less
_ECHOED = 40  # characters at a text's end by which it is known on the screen
_SIDES = " │┃|█▌▏_"  # a field's border, and a cursor that is drawn
_Screen = tuple[list[str], tuple[int, ...]]


def answer(view: SessionView, wanted: str, *, asked: Asked | None = None, expect: str = "") -> str:
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
    dialog = _open_dialog(view)
    if asked is not None and not _is_asked(view, dialog, asked):
        raise InputRefusedError(f"{view.label} asks something else by now: {dialog_text(dialog)}")
    if expect and expect not in f"{dialog['question']}\n{dialog.get('subject', '')}":
        raise InputRefusedError(
            f"{view.label} does not ask about {expect!r}: {dialog_text(dialog)}"
        )
    choices, typed = list(dialog["choices"]), None
    if dialog.get("takes_text") and wanted.strip() and not _means_choice(wanted, choices):
        chosen, typed = wanted, _type_text(view, wanted)
    elif choices:
        chosen, typed = _choose(view, dialog, wanted)
        _press_named_key(view, dialog, chosen)
    else:
        raise InputRefusedError(_unread(view))
    if until(lambda: _is_gone(view, dialog, typed), _AFTERWARDS):
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


def _open_dialog(view: SessionView) -> Asked:
    """What a session asks; raise InputRefusedError where that is not known.

    It is read once it has stood for a moment, since labels may grow while a dialog is drawn.
    """
    while (now := load(view.folder)) is not None and now.state == "blocked":
        if not 0 <= time.time() - now.status.since < _DRAWN:
            break
        time.sleep(_AGAIN)
    dialog = asks(view)
    if dialog is None:
        raise InputRefusedError(f"{view.label} isn't asking anything: its state is {_state(view)}")
    return dialog


def _is_asked(view: SessionView, dialog: Asked, asked: Asked) -> bool:
    """Whether a dialog is the one that a caller has read, perhaps before it was drawn whole."""
    if same(dialog, asked):
        return True
    before, question = list(asked.get("choices") or ()), asked.get("question")
    if not before:  # the agent told of it before it drew it, and says the same now
        now = load(view.folder)
        return bool(question) and now is not None and now.status.message == question
    choices = list(dialog["choices"])[: len(before)]
    grown = [now.startswith(label) for now, label in zip(choices, before, strict=False)]
    above, rows = ({*str(one.get("subject") or "").splitlines()} for one in (asked, dialog))
    is_part = len(grown) == len(before) and all(grown) and bool(above) and above <= rows
    return is_part and dialog["question"] == question


def _state(view: SessionView) -> str:
    now = load(view.folder)
    return "exited" if now is None else now.state


def _means_choice(wanted: str, choices: list[str]) -> bool:
    try:
        choice_index(wanted, choices)
    except InvalidValueError:
        return False
    return True


def _unread(view: SessionView) -> str:
    """Why nothing is entered where how to answer was not read, and what a person can do."""
    hints = key_hints(_shown(view)[-_HINT_ROWS:])
    says = f"; its screen says: {' / '.join(hints[-3:])[:SAID]!r}" if hints else ""
    return (
        f"{view.label}: how to answer its dialog was not read; nothing was entered{says}. "
        f"Press its keys (`dejavu send {view.label} --key KEY`), "
        f"or answer by hand: `dejavu attach {view.label}`"
    )


def _choose(view: SessionView, dialog: Asked, wanted: str) -> tuple[str, _Screen | None]:
    """Choose by the dialog's letters or by its pointer, with no key of others in between.

    Return the choice, and the screen with a letter typed where Enter followed one.
    """
    choices, keys = list(map(str, dialog["choices"])), list(dialog.get("keys") or ())
    said = [] if dialog.get("more") else _between(view, choices)
    number = None if dialog.get("more") else choice_index(wanted, choices)
    for _ in range(_ATTEMPTS):
        input_offset = hands_off(view)
        try:
            if number is None:
                chosen, input_offset = scroll_to(view, dialog, wanted, input_offset)
            elif keys:
                return choices[number], _press_letter(view, dialog, keys[number], input_offset)
            else:
                chosen = choices[number]
                input_offset = point_at(view, dialog, number, input_offset)
            if said and not until(lambda: _between(view, choices) == said, EACH):
                raise InputRefusedError(
                    f"{view.label}: the rows below its choices changed; nothing was entered"
                )
            press(view, ["Enter"], after=input_offset)
        except KeysBetweenError:
            refuse_other(view, dialog)
        else:
            return chosen, None
    raise InputRefusedError(f"{view.label}: others type into it; nothing was entered")


def _between(view: SessionView, choices: list[str]) -> list[str]:
    """The rows between the choices that are no part of their labels: what says more of them.

    Empty where the choices are not seen, or a row holds several.
    """
    rows = [_LEAD.sub("", _bare(row)) for row in _shown(view)]
    labels = [_LEAD.sub("", "".join(choice.split())) for choice in choices]
    at = len(rows)
    places: list[int] = []
    for label in reversed(labels):  # a dialog is the lowest text on its screen
        beginning = label[:_SEEN]
        found = (n for n in reversed(range(at)) if beginning and rows[n].startswith(beginning))
        at = next(found, -1)
        if at < 0:
            return []
        places.append(at)
    inside = range(places[-1] + 1, places[0])
    return [
        rows[n] for n in inside if n not in places and not any(rows[n] in one for one in labels)
    ]


def _press_named_key(view: SessionView, dialog: Asked, chosen: str) -> None:
    """Press the key in a choice's own label, where Enter did not take the choice.

    Behind some refusals words may be typed first: Enter waits for these, and `(Esc to stop)` does not.
    """
    if _NAMES_ESCAPE.search(chosen) is None or until(
        lambda: pointed_at(view, dialog) != chosen, _NO_EFFECT
    ):
        return
    with suppress(KeysBetweenError):
        press(view, ["Escape"], after=hands_off(view))


def _press_letter(
    view: SessionView, dialog: Asked, letter: str, input_offset: int
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
        return bool(typed) or not same(asks(view), dialog)

    until(seen, EACH)
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

    if not until(seen, EACH):
        raise InputRefusedError(
            f"{view.label}: the text was typed and is not seen in its field, so Enter was not "
            f"pressed; look at it: `dejavu attach {view.label}`"
        )
    typed = _screen(view)
    press(view, ["Enter"])
    return typed


def _is_gone(view: SessionView, dialog: Asked, typed: _Screen | None) -> bool:
    """Whether a dialog is over, and not only hidden by what was `typed` into it."""
    now = asks(view)
    if now is not None and now.get("takes_text") and not dialog.get("takes_text"):
        return True  # the choice was taken: it asks for words
    is_there = same(now, dialog) or (now is not None and _is_redrawn(now, dialog))
    return not is_there and (typed is None or _screen(view) != typed)


def _is_redrawn(now: Asked, dialog: Asked) -> bool:
    """Whether a dialog only has more or fewer rows above it, as while a window changes its size."""
    if not same({**now, "subject": ""}, {**dialog, "subject": ""}):
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


def _hint(view: SessionView) -> re.Match[str] | None:
    """The lowest row that names a key to interrupt with."""
    return next(filter(None, map(_HINT.search, reversed(_shown(view)))), None)
