"""Typing into a wrapped agent, as its user would.

Sends keys to the wrapper's control socket. Text goes in as one bracketed paste where the agent has
asked for those (DEC private mode 2004), so that line breaks in it do not submit half of it; then
Enter. A dialog takes keys, not pastes. Refused while the agent asks a person something, unless
forced: a text typed into a dialog could agree to anything.
"""

import time
from collections.abc import Sequence
from typing import Any

from dejavu.capsule.control import send
from dejavu.model import CaptureError, InvalidValueError, NotFoundError
from dejavu.screen.keys import encode

from .observer.screen_server import look
from .session_store import SessionView, load, mark

_BEGIN, _END = b"\x1b[200~", b"\x1b[201~"
_MODIFIERS = {"C": "Ctrl+", "M": "Alt+", "S": "Shift+"}
_SETTLE = 0.15
"""Seconds between a text and its Enter: some agents take an early Enter for a pasted newline."""


class InputRefusedError(CaptureError):
    """The agent asks a person something, or not what was thought; nothing was entered."""


def press(view: SessionView, names: Sequence[str], *, pause: float = 0.0) -> None:
    """Press keys in the session: `Escape`, `Up`, `Ctrl+C` (or `C-c`), one character, any case.

    The bytes are those that a terminal sends in the modes that the agent has set. pause: seconds
    between two keys. Nothing is pressed where one of the names is no key.

    Raises:
        InvalidValueError: a name is no key.
        NotFoundError: the session has ended, or takes no input.
    """
    modes = _modes(view)
    try:
        keys = [encode(_written_out(name), **modes) for name in names]
    except ValueError as error:
        raise InvalidValueError(str(error)) from None
    if not view.live:
        raise NotFoundError(f"{view.session.id} {view.end}; `dejavu status` shows what runs")
    try:
        for number, key in enumerate(keys):
            if number and pause:
                time.sleep(pause)
            send(view.folder / "control", key)
    except (FileNotFoundError, ConnectionError) as error:
        raise NotFoundError(f"{view.session.id} takes no input ({error})") from error


def _modes(view: SessionView) -> dict[str, Any]:
    """What decides the bytes of a key; the defaults where nobody follows the screen."""
    try:
        shown = look(view.folder)
    except CaptureError:
        return {}
    return {
        "application": bool(shown.get("application_cursor")),
        "kitty": int(shown.get("keyboard_flags", 0)),
    }


def _written_out(name: str) -> str:
    """`C-c`, `M-x` and `S-Tab`, as tmux and Emacs write them, with the modifiers' names."""
    prefix = ""
    while len(name) > 2 and name[1] == "-" and name[0].upper() in _MODIFIERS:
        prefix, name = prefix + _MODIFIERS[name[0].upper()], name[2:]
    return prefix + name


def pasted(text: str, *, bracketed: bool) -> bytes:
    """`text` as keys: control characters but newline and tab are left out, `ESC` above all.

    A text that holds the end mark of a paste could otherwise leave it and type anything.
    """
    clean = "".join(c for c in text if c in "\n\t" or (ord(c) >= 32 and not 127 <= ord(c) < 160))
    body = clean.replace("\n", "\r").encode("utf-8", "replace")
    return _BEGIN + body + _END if bracketed else body


def type_into(view: SessionView, text: str, *, enter: bool = True, force: bool = False) -> None:
    """Type `text` into the session, and Enter behind it; counts as having seen it.

    Raises:
        NotFoundError: the session has ended, or takes no input.
        InputRefusedError: it asks a person something (asked again before Enter), and `force` is not set.
    """
    name, control = view.session.id, view.folder / "control"
    if not view.live:
        raise NotFoundError(f"{name} {view.end}; `dejavu status` shows what runs")
    if view.state == "blocked" and not force:
        raise InputRefusedError(
            f"{name} asks a person something; look at it, or use --force to type anyway"
        )
    bracketed = view.status.bracketed_paste and view.state != "blocked"
    try:
        if text:
            send(control, pasted(text, bracketed=bracketed))
        mark(view.folder, "seen")
        if enter:
            if text:
                time.sleep(_SETTLE)
            again = load(view.folder)
            if again is not None and again.state == "blocked" and not force:
                raise InputRefusedError(
                    f"{name} began to ask something: the text is typed, not entered"
                )
            mark(view.folder, "sent")
            send(control, b"\r")
    except (FileNotFoundError, ConnectionError) as error:
        raise NotFoundError(f"{name} takes no input ({error})") from error
