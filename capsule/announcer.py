"""Sequences for the outer terminal without a detection query: progress, notifications, variables, status.

OSC 9;4 (ConEmu's progress), OSC 777 (rxvt's notify), OSC 1337 SetUserVar (iTerm2, WezTerm), OSC 21337
(iTerm2's session status) and OSC 9999 (orca's): the sender knows the host, or has been told to. The last
two may be wrapped for the terminal outside a multiplexer (`passthrough`); program status (OSC 7501) is.
As program status (`status_report`) they are written between the agent's own sequences only. An agent that
speaks one of them itself ends that one for good; of those of one kind that wait, the last is written.
Imported when the first one comes. Cost: one search of each burst.
"""

from __future__ import annotations

import re

from .passthrough import unwrapped, wrapped
from .status_report import GroundState

_SEQUENCES = re.compile(
    r"(?:\x1b\](?:9;4|777;notify|1337;SetUserVar=[A-Za-z0-9_]+|21337|9999)[;=][^\x00-\x1f\x7f-\x9f]*\x1b\\)+"
)

_STATUS = re.compile(rb"(?:\x1b\]7501;[a-z]+=[\w.,+/=:-]*\x1b\\)+")
_RECORD = re.compile(rb":id=[\w.+-]{1,32}")
_OF_HOST = re.compile(r"\x1b\](?:21337|9999);[^\x00-\x1f\x7f-\x9f]*\x1b\\")
_OUTSIDE = b"outside "  # before the kind of what is wrapped
_ONE = re.compile(rb"\x1b\](9;4|777|1337;SetUserVar=[A-Za-z0-9_]+|21337|9999)[^\x1b]*\x1b\\")
_OWN = re.compile(rb"\]9;4;|\]777;|\]21337;|\]9999;|(?<=\x1b\x1b)\]7501;")
_LONGEST = 8  # bytes of what `_OWN` looks for
_NO_PROGRESS = b"\x1b]9;4;0\x1b\\"
_NO_STATUS = b"\x1b]21337;status=;indicator=;status-color=;detail=\x1b\\"


def is_announcement(data: bytes) -> bool:
    """Whether `data` is whole sequences of these kinds, in UTF-8, and nothing else."""
    inside, layers = unwrapped(data)
    try:
        if layers and _STATUS.fullmatch(inside) is None:
            return _OF_HOST.fullmatch(inside.decode("utf-8")) is not None
        return bool(layers) or _SEQUENCES.fullmatch(data.decode("utf-8")) is not None
    except UnicodeDecodeError:
        return False


class Announcer:
    """The announcements of one session. `recent`: what the agent wrote last."""

    def __init__(self, recent: bytes = b"") -> None:
        self._ground = GroundState()
        self._is_ground = self._ground.feed(recent)
        self._tail = b""
        self._waiting: dict[bytes, bytes] = {}
        self._shown: set[bytes] = set()
        self._outside: dict[bytes, bytes] = {}  # what takes back what the terminal outside was told
        self._ended: set[bytes] = set()

    def put(self, data: bytes) -> bytes:
        """Take sequences (see `is_announcement`); return what may be written to the terminal at once."""
        is_wrapped = data.startswith(b"\x1bP")
        found = [_outside(data)] if is_wrapped else [m.group(1, 0) for m in _ONE.finditer(data)]
        self._waiting |= {kind: one for kind, one in found if kind not in self._ended}
        return self._next()

    def output(self, data: bytes) -> bytes:
        """Look at what the agent wrote, which is written; return what may be written behind it."""
        text = self._tail + data
        self._tail = text[1 - _LONGEST :]
        for match in _OWN.finditer(text):
            own = match[0][1:].rstrip(b";")
            for kind in (own, _OUTSIDE + own):
                self._ended.add(kind)
                self._shown.discard(kind)
                self._waiting.pop(kind, None)
        self._is_ground = self._ground.feed(data)
        return self._next()

    def close(self) -> bytes:
        """The agent has ended: what takes its progress, its status and its variables back."""
        if not self._is_ground:
            return b""
        variables = (b"\x1b]%b=\x1b\\" % kind for kind in self._shown if kind.startswith(b"1337"))
        status = [_NO_STATUS] * (b"21337" in self._shown)
        outside = [back for kind, back in self._outside.items() if kind in self._shown]
        progress = [_NO_PROGRESS] * (b"9;4" in self._shown)
        return b"".join(progress + status + outside + sorted(variables))

    def _next(self) -> bytes:
        if not self._is_ground or not self._waiting:
            return b""
        written = b"".join(self._waiting.values())
        self._shown |= self._waiting.keys()
        for kind, told in self._waiting.items():
            if kind.startswith(_OUTSIDE) and (back := _taken_back(told)):
                self._outside[kind] = back
        self._waiting.clear()
        return written


def _outside(data: bytes) -> tuple[bytes, bytes]:
    """A wrapped sequence with its kind."""
    inside, _ = unwrapped(data)
    return _OUTSIDE + inside[2 : inside.index(b";")], data


def _taken_back(told: bytes) -> bytes:
    """What takes back what the terminal outside was told; empty where nothing does."""
    inside, layers = unwrapped(told)
    if inside.startswith(b"\x1b]9999"):
        return b""
    record = _RECORD.search(inside)
    clear = b"\x1b]7501;state=clear%b\x1b\\" % (record[0] if record else b"")
    return wrapped(_NO_STATUS if inside.startswith(b"\x1b]21337") else clear, layers)
