"""The grid: what a stream of text does to the screen, token by token.

Text may be cut anywhere: a sequence cut short waits for its end. This is the
loop everything goes through: it looks sequences up instead of parsing them, and draws text that
fits on its row without a call. Cost: O(length).
"""

from .attributes import DEFAULT, parse_sgr
from .dispatch import CONTROLS, Call, control_sequence, escape_sequence
from .resize import Resize
from .row import EMPTY, FILLER, split_wide
from .tokens import (
    C0,
    DCS_END,
    NOT_C0,
    OSC_END,
    SEQUENCE_LIMIT,
    STRING_LIMIT,
    STRING_START,
    TOKEN,
    UNFINISHED,
)

# Sequences met before, ready to be carried out. What they mean depends on nothing else, so all
# terminals share them; a full table starts again.
_CACHE_SIZE = 1 << 14
_CALLS: dict[str, Call] = {}
_CHANGES: dict[str, tuple[int, int]] = {}


class Grid(Resize):
    """A terminal's screen, driven by `write`, or by a `pyte.Stream` through its methods."""

    __slots__ = ("_introducer", "_parts", "_size", "_string", "_tail")

    def __init__(self, columns: int, lines: int, history: int) -> None:
        super().__init__(columns, lines, history)
        self._tail = ""  # an unfinished sequence
        self._string = ""  # the kind of an unfinished string sequence ...
        self._introducer = ""
        self._parts: list[str] = []  # ... its body so far ...
        self._size = 0  # ... and how long that is

    def write(self, text: str) -> None:
        """Text as it came, controls and all."""
        if self._string:
            text = self._continue_string(text)
        if self._tail:
            text = self._tail + text
            self._tail = ""
        cut = text.rfind("\x1b")
        if cut >= 0 and UNFINISHED.fullmatch(text, cut):
            self._interpret(text[:cut])
            self._hold_back(text[cut:])
        else:
            self._interpret(text)

    def at_ground(self) -> bool:
        """Whether neither a sequence nor an update (?2026) is under way."""
        return not (self._tail or self._string) and not self.updating()

    def _interpret(self, text: str) -> None:
        """Whole tokens, in order."""
        palette, columns = self.palette, self.columns
        ids = palette.ids
        for csi, sgr, narrow, controls, other in TOKEN.findall(text):
            if csi:
                function, arguments = _CALLS.get(csi) or _cache_call(csi)
                function(self, *arguments)
                self.last = ""
            if sgr:
                keep, bits = _CHANGES.get(sgr) or _cache_sgr(sgr)
                self.style = style = self.style & keep | bits
                self.pen = ids.get(style) or palette.intern(style)
                self.last = ""
            if narrow:
                x = self.x
                end = x + len(narrow)
                if end > columns or not self.fast_path:
                    self.put_text(narrow)
                else:  # as `place` does
                    rows, y = self.rows, self.y
                    cells, attributes, flags = rows[y]
                    length = len(cells)
                    if x < length:
                        if FILLER in cells:
                            cells = split_wide(split_wide(cells, x), end)
                        rows[y] = (
                            cells[:x] + narrow + cells[end:],
                            attributes[:x] + self.pen * len(narrow) + attributes[end:],
                            flags,
                        )
                    else:
                        if x > length:
                            cells = cells.ljust(x, EMPTY)
                            attributes = attributes.ljust(x, DEFAULT)
                        rows[y] = (
                            cells + narrow,
                            attributes + self.pen * len(narrow),
                            flags,
                        )
                    self.x = end
                    self.last = narrow
            if controls:
                if controls == "\r\n":
                    self.x = 0
                    self.linefeed()
                    self.last = ""
                else:
                    self._execute(controls)
            if other:
                if other[0] == "\x1b":
                    self._escape(other)
                else:
                    self.draw_mixed(other)
        if self.frame is not None:
            self.update.append(text)

    def _execute(self, controls: str) -> None:
        """Control characters one by one; those that do nothing are nothing."""
        self.last = ""
        for character in controls:
            if call := CONTROLS.get(character):
                call[0](self, *call[1])

    def select_graphic_rendition(self, *codes: int, private: bool = False) -> None:
        """SGR, with its codes as numbers."""
        if not private:
            self._change_style(f"\x1b[{';'.join(map(str, codes))}m")

    def _change_style(self, run: str) -> None:
        keep, bits = _CHANGES.get(run) or _cache_sgr(run)
        self.style = self.style & keep | bits
        self.pen = self.palette.intern(self.style)

    def debug(self, *parameters: object, **options: object) -> None:
        """What a `pyte.Stream` calls for sequences it does not know."""

    # --------------------------------------------------------------- sequences off the fast path

    def irregular_sequence(self, body: str) -> None:
        """A control sequence with controls inside, which are obeyed first, or one cut off."""
        self._execute("".join(NOT_C0.split(body)))
        if len(body) > SEQUENCE_LIMIT + 1:
            return
        body = "".join([c for c in body if c not in C0])
        if body.endswith("m"):
            self._change_style(f"\x1b[{body}")
        elif call := control_sequence(body):
            call[0](self, *call[1])

    def _escape(self, text: str) -> None:
        """An escape or string sequence; controls inside it are obeyed first."""
        self.last = ""
        body = text[1:].lstrip(C0)
        self._execute(text[1 : len(text) - len(body)])
        kind = body[:1]
        if kind == "[":
            self.irregular_sequence(body[1:])
        elif kind in ("]", "P"):
            if body[-1] not in "\x18\x1a":
                self._finish_string(kind, body[1:])
        elif kind and kind not in "X^_":
            self._execute("".join(NOT_C0.split(body)))
            function, arguments = escape_sequence("".join([c for c in body if c not in C0]))
            function(self, *arguments)

    def _hold_back(self, text: str) -> None:
        """Keep what the end of the input cut short, within bounds."""
        start = STRING_START.match(text)
        if start:
            self._execute(text[1 : start.end() - 1])
            self._string, self._introducer = start[1], text[: start.end()]
            self._parts, self._size = [text[start.end() :]], len(text) - start.end()
        elif len(text) <= SEQUENCE_LIMIT + 2:
            self._tail = text
        else:  # too long to mean anything: obey the controls, keep what says "ignore the rest"
            self._execute("".join(NOT_C0.split(text[1:])))
            self._tail = "\x1b[<<" if text.lstrip("\x1b" + C0)[:1] == "[" else "\x1b   "

    def _continue_string(self, text: str) -> str:
        """Add to an unfinished string sequence; what follows its end is given back."""
        end = (OSC_END if self._string == "]" else DCS_END).search(text)
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
        terminator = text[stop].strip("\x1b")  # the ESC of an ST starts its own sequence
        if self.frame is not None:
            self.update.append(f"{self._introducer}{body}{terminator}")
        if self._size <= STRING_LIMIT and terminator not in ("\x18", "\x1a"):
            self._finish_string(kind, body)
        return text[stop + len(terminator) :]

    def _finish_string(self, kind: str, body: str) -> None:
        self.last = ""
        if kind == "]":
            self.osc(body.removesuffix("\x07"))
        elif kind == "P":
            self.dcs(body)


def _cache_call(body: str) -> Call:
    """The call of a control sequence, remembered where it is likely to come again."""
    call = control_sequence(body)
    if call is None:
        return Grid.irregular_sequence, (body,)
    if len(body) <= 32:
        if len(_CALLS) >= _CACHE_SIZE:
            _CALLS.clear()
        _CALLS[body] = call
    return call


def _cache_sgr(run: str) -> tuple[int, int]:
    """What an SGR run does to the style, remembered."""
    if len(_CHANGES) >= _CACHE_SIZE:
        _CHANGES.clear()
    change = _CHANGES[run] = parse_sgr(run)
    return change
