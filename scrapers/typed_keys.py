"""Keys of a terminal as the texts they make, each up to the Enter that sends it.

Reads printed characters, pastes, the keys that erase and those of kitty's protocol; a text that was
edited in ways that only the agent knows (a cursor moved, a completion, an older prompt called back)
is not exact. Nothing is kept of a text once it is sent or cleared. Sans-I/O. Cost: O(bytes).
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dejavu.screen.keys import PASTE_BEGIN, PASTE_END

MAX_TEXT = 1 << 20
"""Characters of a text that are held; more than that, and it is not exact."""

_MAX_SEQUENCE = 4096  # characters of a sequence without an end
_TOGETHER = 0.1  # seconds within which the bytes of one key come
# CSI, SS3, strings up to ST or BEL (answers of the terminal), and Alt with a key.
_SEQUENCE = re.compile(
    r"\x1b(?:\[(?P<csi>[0-?]*[ -/]*[@-~])|O(?P<ss3>.)|[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|(?P<alt>[^\[\]OP_^X]))",
    re.DOTALL,
)
_KITTY = re.compile(
    r"(?P<code>\d+)(?::\d*)*(?:;(?P<modifiers>\d*)(?::(?P<event>\d+))?(?:;[\d:]*)?)?u"
)
# Sequences that no key makes: a mouse, focus, answers about the cursor, colours and modes.
_NO_KEY = re.compile(r"<.*[Mm]|[IO]|\?.*|>.*|\d+;\d+R|\d+(?:;\d+)*[nt]")
_ENTER, _KEYPAD_ENTER, _ESCAPE, _BACKSPACE = 13, 57414, 27, 127
_SHIFT, _ALT, _CTRL, _RELEASED = 1, 2, 4, "3"


@dataclass(frozen=True, slots=True, eq=False)
class SentText:
    """A text that was typed or pasted, and sent. `began`, `at`: seconds, its first key and Enter."""

    text: str
    began: float
    at: float
    exact: bool


class TypedText:
    """What is typed now; `feed` yields what Enter sends."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""  # the beginning of a sequence
        self._held_at = 0.0
        self._pasting = False
        self._began: float | None = None
        self._text: list[str] = []
        self._exact = True

    def lose(self) -> None:
        """Some keys were not seen: what is typed now is not known."""
        self._clear()
        self._exact, self._held, self._pasting = False, "", False
        self._decoder.reset()

    def feed(self, data: bytes, at: float) -> Iterator[SentText]:
        """Take bytes typed at `at`."""
        if self._held == "\x1b" and at > self._held_at + _TOGETHER:
            self._held = ""  # it was the Escape key, which may clear a text
            self._exact &= not self._text
        rest = self._held + self._decoder.decode(data)
        self._held, self._held_at = "", at
        while rest:
            if self._pasting:
                rest = self._paste(rest, at)
            elif rest.startswith(PASTE_BEGIN):
                self._pasting, rest = True, rest[len(PASTE_BEGIN) :]
            elif rest[0] == "\x1b":
                match = _SEQUENCE.match(rest)
                if match is None:
                    self._held = rest if len(rest) < _MAX_SEQUENCE else ""
                    return
                rest = rest[match.end() :]
                yield from self._sequence(match, at)
            else:
                yield from self._key(rest[0], at)
                rest = rest[1:]

    def _paste(self, rest: str, at: float) -> str:
        end = rest.find(PASTE_END)
        if end < 0:
            kept = next(
                (n for n in range(len(PASTE_END) - 1, 0, -1) if rest.endswith(PASTE_END[:n])), 0
            )
            self._held = rest[len(rest) - kept :]
            self._add(rest[: len(rest) - kept], at)
            return ""
        self._add(rest[:end], at)
        self._pasting = False
        return rest[end + len(PASTE_END) :]

    def _key(self, key: str, at: float) -> Iterator[SentText]:
        match key:
            case "\r":
                yield from self._send(at)
            case "\n":
                self._add("\n", at)
            case "\x7f" | "\x08":
                del self._text[-1:]
            case "\x03" | "\x15":  # ^C, ^U
                self._clear()
            case _ if key < " ":
                self._exact = False
            case _:
                self._add(key, at)

    def _sequence(self, match: re.Match[str], at: float) -> Iterator[SentText]:
        csi, alt = match.group("csi"), match.group("alt")
        kitty = _KITTY.fullmatch(csi) if csi is not None else None
        if alt in ("\r", "\n"):
            self._add("\n", at)
        elif csi is None and alt is None and match.group("ss3") is None:
            return  # the terminal's answer
        elif kitty is not None:
            yield from self._kitty(kitty, at)
        elif csi is None or not _NO_KEY.fullmatch(csi):
            self._exact = False

    def _kitty(self, match: re.Match[str], at: float) -> Iterator[SentText]:
        code, modifiers = int(match.group("code")), int(match.group("modifiers") or 1) - 1
        modifiers &= _SHIFT | _ALT | _CTRL
        if match.group("event") == _RELEASED:
            return
        if code in (_ENTER, _KEYPAD_ENTER):
            yield from self._key("\n" if modifiers else "\r", at)
        elif code == _BACKSPACE and not modifiers:
            yield from self._key("\x7f", at)
        elif modifiers == _CTRL and chr(min(code, 127)) in "cu":
            self._clear()
        elif (
            modifiers in (0, _SHIFT)
            and code != _ESCAPE
            and code < 57344
            and chr(code).isprintable()
        ):
            self._add(chr(code).upper() if modifiers else chr(code), at)
        else:
            self._exact = False

    def _add(self, text: str, at: float) -> None:
        self._began = at if self._began is None else self._began
        self._text += text.replace("\r\n", "\n").replace("\r", "\n")
        if len(self._text) > MAX_TEXT:
            self._exact = False
            del self._text[MAX_TEXT:]

    def _send(self, at: float) -> Iterator[SentText]:
        if self._text[-1:] == ["\\"]:  # agents take this for a line break
            self._text[-1:] = ["\n"]
            return
        text = "".join(self._text).strip()
        if text or not self._exact:
            yield SentText(text, at if self._began is None else self._began, at, self._exact)
        self._clear()

    def _clear(self) -> None:
        self._text.clear()
        self._began, self._exact = None, True
