"""Program status said to the outer terminal for an agent that does not say it itself (OSC 7501).

A report is written between the agent's own sequences only: never inside one, nor inside a UTF-8
character. Before the first one the terminal is asked whether it knows them, with a DA1 query behind that
every terminal answers: what comes first decides. Both answers are taken out of the input, and no other
DA1 answer is: those that the agent waits for come before. Without an answer nothing more is written. An
agent that reports or asks itself ends this for good. Of reports that wait the last is written.

Cost: one search from the end of each burst, and one of the input while the answer is awaited.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

QUERY = b"\x1b]7501;?\x1b\\"
DA1 = b"\x1b[c"
CLEAR = b"\x1b]7501;state=clear\x1b\\"
PATIENCE = 5.0  # s in which a terminal must have answered
LATE = 60.0  # s for which its answer to DA1 is still taken out
_MARK = b"]7501;"
# The answer may name the states and the kinds that the terminal knows.
_ANSWER = re.compile(
    rb"(?P<status>\x1b\]7501;\?(?P<lists>(?::[a-z]{1,16}=[\w.,+/=-]{0,512}){0,8})(?:\x07|\x1b\\))"
    rb"|\x1b\[\?[0-9;]{0,64}c"
)
_LIST = re.compile(rb":(states|kinds)=([^:]*)")
_STATE = re.compile(rb"(?<=;state=)[a-z]+")
_KIND = re.compile(rb":kind=([a-z]+)")
_INSTEAD = {b"done": b"idle"}  # what is said to a terminal that does not know a state
# The beginning of an answer at the end of what was read; shorter ones may be keys (Alt+]).
_CUT_SHORT = re.compile(
    rb"\x1b(?:\]7(?:5(?:0(?:1(?:;(?:\?[:a-z0-9A-Z_.,+/=-]{0,1024}\x1b?)?)?)?)?)?|\[\?[0-9;]{0,64})\Z"
)
_KEY = re.compile(rb"\x1b[\[\]]?\Z")
_CANCELLED = re.compile(rb"[\x18\x1a]")
_CSI_FINAL = re.compile(rb"[\x40-\x7e\x18\x1a]")
_ESC_FINAL = re.compile(rb"\x1b[\x20-\x2f]*[\x30-\x7e]")
_TMUX = b"\x1bPtmux;"
_TMUX_ENDS = re.compile(rb"(?:\x1bPtmux;)?[^\x1b]*+(?:\x1b[^\\][^\x1b]*+)*+\x1b\\", re.DOTALL)
_TMUX_ESCAPE = re.compile(rb"(?:\x1b\x1b)*(\x1b?)\Z")
_KEPT = 32  # bytes of a sequence that has begun


class GroundState:
    """Whether a terminal that has read these bytes is between two sequences.

    An ESC starts over whatever went before, so that what follows the last one decides; but not in
    what tmux passes on, where each ESC is one of two.
    """

    def __init__(self) -> None:
        self._passed: bytes | None = (
            None  # an ESC that may end what tmux passes on; None: outside of it
        )
        self._before = b""  # the last bytes, which may begin that
        self._open: bytes | None = None  # of a sequence that has begun; None: not known yet
        self._text = b""  # the last bytes of text

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; whether something may be written behind them."""
        if self._passed is None:
            text = self._before + data
            begin = text.find(_TMUX)
            self._before = text[1 - len(_TMUX) :]
        else:
            text, begin = self._passed + data, 0
        while begin >= 0:
            end = _TMUX_ENDS.match(text, begin)
            if end is None:
                odd = _TMUX_ESCAPE.search(text, begin)
                self._passed = b"" if odd is None else odd[1]
                return False
            self._passed, self._open, self._text = None, b"", b""
            data = text[end.end() :]
            begin = text.find(_TMUX, end.end())
            self._before = data[1 - len(_TMUX) :]
        return self._feed(data)

    def _feed(self, data: bytes) -> bool:
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

    `recent`: what the agent wrote last. `owed`: how many DA1 answers the agent waits for, None where
    that is not known; then DA1 is not asked.
    """

    def __init__(self, recent: bytes = b"", owed: Callable[[], int | None] = lambda: None) -> None:
        self._owed, self._before = owed, 0
        self._ground = GroundState()
        self._is_ground = self._ground.feed(recent)
        self._pending = b""
        self._shown = False
        self._tail = b""
        self._held = self._passed = b""
        self._asked_at: float | None = None
        self._knows: bool | None = None
        self._awaits_status = self._awaits_da1 = False
        self._lists: dict[bytes, list[bytes]] = {}  # the states and kinds that it names, if it does

    @property
    def waiting(self) -> bool:
        """Whether input must go through `input` now."""
        return self._awaits_status or self._awaits_da1

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
        """Return what the agent is to read of `data`: all but the answers to our questions."""
        passed = self._passed  # an answer that begins in it is passed on whole
        text, self._held, self._passed = passed + self._held + data, b"", b""
        self._lose_patience(now)
        kept, start = b"", len(passed)
        for match in _ANSWER.finditer(text):
            if self._is_ours(match) and match.start() >= start:
                kept += text[start : match.start()]
                start = match.end()
        kept += text[start:]
        cut = _CUT_SHORT.search(kept) if self.waiting else None
        if cut is None:
            key = _KEY.search(text) if self.waiting else None
            self._passed = key[0] if key is not None else b""
            return kept
        self._held = kept[cut.start() :]
        return kept[: cut.start()]

    def _is_ours(self, match: re.Match[bytes]) -> bool:
        """Whether an answer is to a question of ours, which it settles."""
        if match["status"] is not None:
            if not self._awaits_status:
                return False
            self._awaits_status = False
            if self._knows is None:
                self._knows = True
                self._lists = {name: of.split(b",") for name, of in _LIST.findall(match["lists"])}
            return True
        if not self._awaits_da1:
            return False
        if self._before:
            self._before -= 1
            return False
        self._knows = bool(self._knows)
        self._awaits_status = self._awaits_da1 = False
        return True

    def _lose_patience(self, now: float) -> None:
        """Wait no longer for an answer that should have come."""
        if self._asked_at is None:
            return
        if now > self._asked_at + PATIENCE:
            self._knows = bool(self._knows)
            self._awaits_status &= self._awaits_da1
        if now > self._asked_at + LATE:
            self._awaits_status = self._awaits_da1 = False

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
            return self._ask(now)
        self._lose_patience(now)
        if not self._knows:
            return b""
        report, self._pending = self._adapted(self._pending), b""
        self._shown |= bool(report)
        return report

    def _ask(self, now: float) -> bytes:
        before = self._owed()
        self._asked_at, self._awaits_status = now, True
        self._awaits_da1, self._before = before is not None, before or 0
        return QUERY + DA1 * self._awaits_da1

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
