"""Typing into a wrapped agent, as its user would.

Sends keys to the wrapper's control socket. Text goes in as one bracketed paste where the agent has
asked for those (DEC private mode 2004), so that line breaks in it do not submit half of it; then
Enter. A dialog takes keys, not pastes. Refused while the agent asks a person something, unless
forced: a text typed into a dialog could agree to anything.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from dejavu.capsule.control import ask, send
from dejavu.model import CaptureError, InvalidValueError, NotFoundError
from dejavu.screen.keys import encode

from .observer.screen_server import look
from .session_store import SessionView, load, touch

_BEGIN, _END = b"\x1b[200~", b"\x1b[201~"
_MODIFIERS = {"C": "Ctrl+", "M": "Alt+", "S": "Shift+"}
_YOUNG = 3.0  # seconds in which what a new agent draws is waited for ...
_UNREAD = 10.0  # ... and in which its screen is, where it is not read yet at all
_AGAIN = 0.05
_HANDS_OFF = 0.4  # seconds without a key, after which those before are drawn ...
_BUSY_HANDS = 5.0  # ... and how long they are waited for
_PIECE = 1 << 16  # bytes of a text that go to the wrapper at once
_DRAINED = 30.0  # seconds in which an agent must have read what waits for it
_READ = 5.0  # seconds in which what the agent has drawn by now must be read
SETTLE = 0.15
"""Seconds between a text and its Enter: some agents take an early Enter for a pasted newline."""


class InputRefusedError(CaptureError):
    """The agent asks a person something, or not what was thought; nothing was entered."""


def hands_off(view: SessionView) -> int:
    """Wait until no key has been typed into the session for a moment; bytes of input so far.

    That count is for `press`. It counts what came through the wrapper: keys typed into a pane of a
    multiplexer are not seen.

    Raises:
        InputRefusedError: keys are typed into it all the time.
        NotFoundError: the session has ended, or takes no input.
    """
    end = time.monotonic() + _BUSY_HANDS
    while True:
        try:
            reply = ask(view.folder / "control", {"do": "size"})
        except OSError as error:
            raise unreachable(view, error) from error
        if float(reply.get("quiet", _HANDS_OFF)) >= _HANDS_OFF:
            return int(reply.get("typed", 0))
        if time.monotonic() > end:
            raise InputRefusedError(f"{view.label}: keys are being typed; nothing was entered")
        time.sleep(_AGAIN)


def press(
    view: SessionView, names: Sequence[str], *, pause: float = 0.0, after: int | None = None
) -> int:
    """Press keys in the session: `Escape`, `Up`, `Ctrl+C` (or `C-c`), one character, any case.

    The bytes are those that a terminal sends in the modes that the agent has set. pause: seconds
    between two keys. after: press only where the session has had that many bytes of input. Return
    how many it has had then. Nothing is pressed where one of the names is no key.

    Raises:
        InvalidValueError: a name is no key.
        KeysBetweenError: others have typed meanwhile.
        NotFoundError: the session has ended, or takes no input.
    """
    modes = _modes(view)
    try:
        keys = [encode(_written_out(name), **modes) for name in names]
    except ValueError as error:
        raise InvalidValueError(str(error)) from None
    if not view.live:
        raise NotFoundError(f"{view.label} {view.end}; `dejavu status` shows what runs")
    try:
        for number, key in enumerate(keys):
            if number and pause:
                time.sleep(pause)
            count = send(view.folder / "control", key, after=after)
            after = None if after is None else count
    except OSError as error:
        raise unreachable(view, error) from error
    return after or 0


def unreachable(view: SessionView, error: OSError) -> CaptureError | NotFoundError:
    """What to raise for a session whose socket does not answer, or is gone."""
    if isinstance(error, TimeoutError):
        return CaptureError(
            f"{view.label} does not answer: it may be stopped; what was sent may arrive still"
        )
    return NotFoundError(f"{view.label} takes no input ({error})")


def _modes(view: SessionView) -> dict[str, Any]:
    """What decides the bytes of a key; the defaults where the screen is not followed."""
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


def refuse_asking(view: SessionView) -> None:
    """Raise InputRefusedError where a person is asked, as far as that can be known.

    Of a session that has just begun it is not known yet; where no rule fits the screen, whatever
    looks like choices there counts. It is not known either where what the agent has drawn by now
    was not read: a dialog may stand there.
    """
    if _is_behind(view):
        raise InputRefusedError(
            f"{view.label}: what it shows now is not read (its observer has ended, hangs or "
            "is behind), so it may ask something; look at it, or use --force to type anyway"
        )
    view = load(view.folder) or view
    born = view.session.started_at
    while view.state == "unknown" and (now := load(view.folder)) is not None:
        view = now
        if time.time() > born + (_YOUNG if view.status.updated_at else _UNREAD):
            break
        time.sleep(_AGAIN)
    question = "asks a person something" if view.state == "blocked" else ""
    if view.state == "unknown":
        from dejavu.scrapers import seems_to_ask  # only here: it costs a tenth of a second

        with suppress(CaptureError, NotFoundError):
            rows = [str(row) for row in look(view.folder)["rows"]]
            question = "seems to ask a person something" if seems_to_ask(rows) else ""
    if question:
        raise InputRefusedError(
            f"{view.label} {question}; look at it, or use --force to type anyway"
        )


def _is_behind(view: SessionView) -> bool:
    """Whether its observer does not come to read, in time, what the agent has written by now."""
    if view.session.source:
        return False  # a pane is read by the person who types into it
    if not view.observed:
        return True
    try:
        written = int(ask(view.folder / "control", {"do": "size"}).get("offset", 0))
    except OSError:
        return False  # it takes no input either, which is said where it is typed
    end = time.monotonic() + _READ
    while True:
        try:
            if int(look(view.folder, _READ).get("offset", written)) >= written:
                return False
        except CaptureError:
            return False  # it has no screen, so no dialog
        except NotFoundError:
            pass  # it may come: a new session's observer is no faster than its agent
        if time.monotonic() >= end:
            return True
        time.sleep(_AGAIN)


def pasted(text: str, *, bracketed: bool) -> bytes:
    """`text` as keys: its line breaks as Enter has them, in a bracketed paste where that is wanted.

    Raises:
        InvalidValueError: it holds a control character, of which none but newline and tab can be
            typed: `ESC` could leave the paste and type anything.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    bad = next((c for c in text if c not in "\n\t" and (ord(c) < 32 or 127 <= ord(c) < 160)), None)
    if bad is not None:
        raise InvalidValueError(
            f"the text holds the control character U+{ord(bad):04X}, which cannot be typed; "
            "take it out, or press keys by --key"
        )
    body = text.replace("\n", "\r").encode("utf-8", "replace")
    return _BEGIN + body + _END if bracketed else body


def type_keys(view: SessionView, keys: bytes) -> None:
    """Type bytes into the agent, as fast as it reads them; whether that is wise is not asked.

    Raises:
        CaptureError: it does not read.
        OSError: the session takes no input.
    """
    end = time.monotonic() + _DRAINED
    for start in range(0, len(keys), _PIECE):
        while True:
            try:
                send(view.folder / "control", keys[start : start + _PIECE])
                break
            except CaptureError:
                if time.monotonic() > end:
                    raise
                time.sleep(_AGAIN)


def type_into(view: SessionView, text: str, *, enter: bool = True, force: bool = False) -> None:
    """Type `text` into the session, and Enter behind it; counts as having seen it.

    Raises:
        NotFoundError: the session has ended, or takes no input.
        InputRefusedError: it asks a person something (asked again before Enter), and `force` is not set.
    """
    name, control = view.label, view.folder / "control"
    if not view.live:
        raise NotFoundError(f"{name} {view.end}; `dejavu status` shows what runs")
    if not force:
        refuse_asking(view)
    bracketed = view.status.bracketed_paste and view.state != "blocked"
    try:
        if text:
            type_keys(view, pasted(text, bracketed=bracketed))
        touch(view.folder, "seen")
        if enter:
            if text:
                time.sleep(SETTLE)
            again = load(view.folder)
            if again is not None and again.state == "blocked" and not force:
                raise InputRefusedError(
                    f"{name} began to ask something: the text is typed, not entered"
                )
            touch(view.folder, "sent")
            send(control, b"\r")
    except OSError as error:
        raise unreachable(view, error) from error
