"""Program status said to the outer terminal for an agent that does not say it itself (OSC 7501).

A report is written between the agent's own sequences only: never inside one, nor inside a UTF-8
character. Before the first one the terminal is asked whether it knows them; its answer is taken out
of the input, and without one nothing more is written. An agent that reports or asks itself ends this
for good. Of reports that wait the last is written. Imported when the first one comes.

Cost: one search from the end of each burst, and one of the input while the answer is awaited.
"""

from __future__ import annotations

import re

QUERY = b"\x1b]7501;?\x1b\\"
CLEAR = b"\x1b]7501;state=clear\x1b\\"
PATIENCE = 5.0  # s in which a terminal must have answered
_MARK = b"]7501;"
# The answer may name the states and the kinds that the terminal knows.
_ANSWER = re.compile(rb"\x1b\]7501;\?((?::[a-z]{1,16}=[\w.,+/=-]{0,512}){0,8})(?:\x07|\x1b\\)")
_LIST = re.compile(rb":(states|kinds)=([^:]*)")
_STATE = re.compile(rb"(?<=;state=)[a-z]+")
_KIND = re.compile(rb":kind=([a-z]+)")
_INSTEAD = {b"done": b"idle"}  # what is said to a terminal that does not know a state
# The beginning of an answer at the end of what was read; shorter ones may be keys (Alt+]).
_CUT_SHORT = re.compile(
    rb"\x1b\]7(?:5(?:0(?:1(?:;(?:\?[:a-z0-9A-Z_.,+/=-]{0,1024}\x1b?)?)?)?)?)?\Z"
)
_CANCELLED = re.compile(rb"[\x18\x1a]")
_CSI_FINAL = re.compile(rb"[\x40-\x7e\x18\x1a]")
_ESC_FINAL = re.compile(rb"\x1b[\x20-\x2f]*[\x30-\x7e]")
_KEPT = 32  # bytes of a sequence that has begun


class GroundState:
    """Whether a terminal that has read these bytes is between two sequences.

    An ESC starts over whatever went before, so that what follows the last one decides.
    """

    def __init__(self) -> None:
        self._open: bytes | None = None  # of a sequence that has begun; None: not known yet
        self._text = b""  # the last bytes of text

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; whether something may be written behind them."""
        start = data.rfind(b"\x1b")
        if start >= 0:
            self._open, self._text = b"", b""
            data = data[start:]
        if self._open is None:
            return False
        if self._open or start >= 0:
            kept = self._open
            rest = _behind(kept + data, len(kept))
            if rest is None:
                self._open = (kept + data)[:_KEPT]
                return False
            self._open, data = b"", rest
        self._text = (self._text + data)[-3:]
        return not _is_cut(self._text)


def _behind(text: bytes, seen: int) -> bytes | None:
    """What follows the sequence that `text` begins with; None while it is not complete."""
    kind = text[1:2]
    if not kind:
        return None
    if kind == b"[":
        match = _CSI_FINAL.search(text, max(2, seen))
    elif kind == b"]":
        match = re.compile(rb"[\x07\x18\x1a]").search(text, max(2, seen))
    elif kind in b"PX^_":
        match = _CANCELLED.search(text, max(2, seen))
    else:
        match = _ESC_FINAL.match(text)
        if match is None and text[1] not in range(0x20, 0x30):
            return text[2:]  # a control character, or a byte of no sequence
    return None if match is None else text[match.end() :]


def _is_cut(text: bytes) -> bool:
    """Whether a UTF-8 character at the end of `text` is not complete."""
    for back in (1, 2, 3):
        byte = text[-back] if back <= len(text) else 0
        if byte < 0x80:
            return False
        if byte >= 0xC0:
            return back < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
    return False


class StatusReporter:
    """The reports of one session; times are of a monotonic clock.

    `recent`: what the agent wrote last.
    """

    def __init__(self, recent: bytes = b"") -> None:
        self._ground = GroundState()
        self._is_ground = self._ground.feed(recent)
        self._pending = b""
        self._shown = False
        self._tail = b""
        self._held = b""
        self._asked_at: float | None = None
        self._knows: bool | None = None
        self._lists: dict[bytes, list[bytes]] = {}  # the states and kinds that it names, if it does

    @property
    def waiting(self) -> bool:
        """Whether input must go through `input` now."""
        return self._asked_at is not None and self._knows is None

    def put(self, report: bytes, now: float) -> bytes:
        """Take the next report; return what may be written to the terminal at once."""
        self._pending = report
        return self._next(now)

    def output(self, data: bytes, now: float) -> bytes:
        """Look at what the agent wrote, which is written; return what may be written behind it."""
        if self._knows is False:
            return b""
        text = self._tail + data
        self._tail = text[1 - len(_MARK) :]
        if _MARK in text:  # it speaks for itself
            self._knows = False
            return b""
        self._is_ground = self._ground.feed(data)
        return self._next(now)

    def input(self, data: bytes, now: float) -> bytes:
        """Return what the agent is to read of `data`: all but the answer to our question."""
        text, self._held = self._held + data, b""
        match = _ANSWER.search(text)
        if match is not None:
            self._knows = True
            self._lists = {name: known.split(b",") for name, known in _LIST.findall(match[1])}
            return text[: match.start()] + text[match.end() :]
        if self._asked_at is None or now > self._asked_at + PATIENCE:
            self._knows = False
            return text
        cut = _CUT_SHORT.search(text)
        if cut is None:
            return text
        self._held = text[cut.start() :]
        return text[: cut.start()]

    def flush(self, now: float) -> bytes:
        """What may be written now that the terminal has answered."""
        return self._next(now)

    def close(self) -> bytes:
        """The agent has ended: what takes its report back."""
        return CLEAR if self._shown and self._is_ground else b""

    def _next(self, now: float) -> bytes:
        if not self._is_ground or not self._pending or self._knows is False:
            return b""
        if self._asked_at is None:
            self._asked_at = now
            return QUERY
        if self._knows is None:
            if now > self._asked_at + PATIENCE:
                self._knows = False
            return b""
        report, self._pending = self._adapted(self._pending), b""
        self._shown |= bool(report)
        return report

    def _adapted(self, report: bytes) -> bytes:
        """Return a report as this terminal understands it; nothing where it has no such state."""
        states, kinds = self._lists.get(b"states"), self._lists.get(b"kinds")
        state = _STATE.search(report)
        if states is not None and state is not None and state[0] not in states:
            instead = _INSTEAD.get(state[0], b"")
            if instead not in states:
                return b""
            report = _STATE.sub(instead, report, count=1)
        kind = _KIND.search(report)
        if kinds is not None and kind is not None and kind[1] not in kinds:
            report = _KIND.sub(b"", report, count=1)
        return report
