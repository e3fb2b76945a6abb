"""The grid: what a stream of text does to the screen, token by token.

Takes text in any cuts; changes the state. A sequence cut short waits for its end. This is the
loop everything goes through, so it looks tokens up rather than parsing them. Cost: O(length).
"""

from .attributes import parse_sgr
from .dispatch import CONTROLS, Call, control_sequence, escape_sequence
from .resize import Resizing
from .tokens import (
    C0,
    NOT_C0,
    SEQUENCE_LIMIT,
    STRING_END,
    STRING_LIMIT,
    STRING_START,
    TOKEN,
    UNFINISHED,
)
from .updates import Update

_REMEMBERED = 4096  # control sequences and SGR runs kept ready


class Grid(Resizing):
    """A terminal's screen, driven by `write`, or by a `pyte.Stream` through its methods."""

    __slots__ = ("_calls", "_parts", "_runs", "_size", "_string", "_tail", "_update")

    def __init__(self, columns: int, lines: int, history: int) -> None:
        super().__init__(columns, lines, history)
        self._tail = ""  # an unfinished sequence
        self._string = ""  # the introducer of an unfinished string sequence ...
        self._parts: list[str] = []  # ... its body so far ...
        self._size = 0  # ... and how long that is
        self._update = Update()
        self._calls: dict[str, Call] = {}
        self._runs: dict[str, tuple[int, int]] = {}

    def write(self, text: str) -> None:
        """Text as it came, controls and all."""
        if self._string:
            text = self._continue_string(text)
        if self._tail:
            text = self._tail + text
            self._tail = ""
        cut = text.rfind("\x1b")
        if cut >= 0 and UNFINISHED.fullmatch(text, cut):
            self._hold(text[cut:])
            text = text[:cut]
        self._interpret(text)
        if self.frame is not None and not self._update.still_open(text):
            self.frame = None

    def _interpret(self, text: str) -> None:
        """Whole tokens, in order."""
        calls, runs, palette = self._calls, self._runs, self.palette
        ids = palette.ids
        for csi, sgr, narrow, controls, other in TOKEN.findall(text):
            if csi:
                call = calls.get(csi)
                if call is None:
                    call = self._learn(csi)
                call[0](self, *call[1])
                self.last = ""
            if sgr:
                run = runs.get(sgr)
                if run is None:
                    if len(runs) >= _REMEMBERED:
                        runs.clear()
                    run = runs[sgr] = parse_sgr(sgr)
                self.style = style = self.style & run[0] | run[1]
                self.pen = ids.get(style) or palette.intern(style)
                self.last = ""
            if narrow:
                self.put(narrow)
            if controls:
                if controls == "\r\n":
                    self.x = 0
                    self.linefeed()
                    self.last = ""
                else:
                    self._obey(controls)
            if other:
                if other[0] == "\x1b":
                    self._sequence(other)
                else:
                    self.draw(other)

    def _learn(self, body: str) -> Call:
        """The call of a control sequence, remembered where it is likely to come again."""
        call = control_sequence(body)
        if len(body) <= 32:
            if len(self._calls) >= _REMEMBERED:
                self._calls.clear()
            self._calls[body] = call
        return call

    def _obey(self, controls: str) -> None:
        """Control characters one by one; those that do nothing are nothing."""
        self.last = ""
        for character in controls:
            if call := CONTROLS.get(character):
                call[0](self, *call[1])

    # --------------------------------------------------------------- sequences off the fast path

    def _sequence(self, text: str) -> None:
        """A token that starts with ESC: controls inside it are obeyed first, wherever they are."""
        self.last = ""
        body = text[1:].lstrip(C0)
        self._obey(text[1 : len(text) - len(body)])
        kind = body[:1]
        if kind == "]":
            if body[-1] not in "\x18\x1a":
                self._finish_string("]", body[1:])
        elif kind == "P":
            if body[-1] not in "\x18\x1a":
                self._finish_string("P", body[1:])
        elif kind and kind not in "X^_":
            self._obey("".join(NOT_C0.split(body)))
            body = "".join(c for c in body if c not in C0)
            call = control_sequence(body[1:]) if kind == "[" else escape_sequence(body)
            call[0](self, *call[1])

    def _hold(self, text: str) -> None:
        """Keep what the end of the input cut short, within bounds."""
        start = STRING_START.match(text)
        if start:
            self._obey(text[1 : start.end() - 1])
            self._string = start[1]
            self._parts, self._size = [text[start.end() :]], len(text) - start.end()
        elif len(text) <= SEQUENCE_LIMIT:
            self._tail = text
        else:  # too long to mean anything: obey the controls, keep what says "ignore the rest"
            self._obey("".join(NOT_C0.split(text[1:])))
            self._tail = "\x1b[<<" if text.lstrip("\x1b" + C0)[:1] == "[" else "\x1b   "

    def _continue_string(self, text: str) -> str:
        """Add to an unfinished string sequence; what follows its end is given back."""
        end = STRING_END["]" if self._string == "]" else "P"].search(text)
        stop = end.start() if end else len(text)
        self._size += stop
        if self._size <= STRING_LIMIT:
            self._parts.append(text[:stop])
        else:
            self._parts.clear()
        if not end:
            return ""
        kind, body = self._string, "".join(self._parts)
        self._string, self._parts = "", []
        if text[stop] in "\x18\x1a":
            return text[stop + 1 :]
        self._finish_string(kind, body)
        return text[stop + (text[stop] == "\x07") :]

    def _finish_string(self, kind: str, body: str) -> None:
        self.last = ""
        if len(body) > STRING_LIMIT:
            return
        if kind == "]":
            self.osc(body.removesuffix("\x07"))
        elif kind == "P":
            self.dcs(body)
