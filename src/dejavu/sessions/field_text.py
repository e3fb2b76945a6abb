"""Whether a text is in an agent's text field, or has gone on to the rest of its screen.

Compares letters and signs only: programs wrap, indent and pad. A long paste may stand there as a
token (`[Pasted text #1 +59 lines]`), a secret as its mark, a text of many rows by its last ones.
Where no field is seen, as in a shell, what is in front of the cursor tells.
Reads the session's screen by its observer; types nothing.
"""

import re
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dejavu.model import CaptureError, NotFoundError

from .observer.screen_server import look

_NOISE = re.compile(r"[\s\u200b\u200c\u2060\ufeff│┃█▌▏]+")
_HIDDEN = re.compile(
    r"\[[^\[\]]*past[^\[\]]*\d[^\[\]]*\]|\[redacted[^\]]*\]?|\*{2,}", re.IGNORECASE
)
"""Placeholders for a part of the text: a folded paste, a secret's mark."""

_PROMPTS = "❯›»▌>!*$#&"
_KNOWN = 40  # letters at either end by which a text is known elsewhere on the screen
_SHORT = 12  # letters below which it must be a separate row
_GLYPHS = 4  # letters that may stand before it in such a row


class Sight(NamedTuple):
    """A screen: its text field (`is_seen`: there is one), and the rows around that.

    `front` is what is in front of the cursor, squeezed, and `line` the last row of it; both are empty
    where a field is seen.
    """

    is_seen: bool = False
    rows: tuple[str, ...] = ()
    top: int = 0
    cursor: tuple[int, int] = (0, 0)
    around: tuple[str, ...] = ()
    front: str = ""
    line: str = ""

    @property
    def text(self) -> str:
        """What is in the field."""
        return "\n".join(self.rows).strip()

    @property
    def cursor_row(self) -> int:
        """The row of the field that the cursor is in."""
        return self.cursor[0] - self.top

    def is_past(self, before: "Sight") -> bool:
        """Whether the cursor has left the line that it was in."""
        return (self.cursor[0], self.line) != (before.cursor[0], before.line)


def squeeze(text: str) -> str:
    """The letters and signs of a text, as they are compared."""
    return _NOISE.sub("", text.replace("\xa0", " "))


class FieldText:
    """One text, looked for in one session."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder, self._wanted = folder, squeeze(text)

    def look(self) -> Sight:
        """The screen now; an empty sight where there is none to be had."""
        try:
            shown = look(self.folder)
        except (CaptureError, NotFoundError):
            return Sight()
        rows = tuple(str(row) for row in shown.get("rows", ()))
        field = shown.get("composer")
        if field is None:
            row, column = map(int, shown.get("cursor", (0, 0)))
            line = squeeze("".join(rows[row : row + 1])[:column])
            front = squeeze("".join(rows[:row])) + line
            return Sight(cursor=(row, column), around=rows, front=front, line=line)
        inside, top = tuple(map(str, field["rows"])), int(field["top"])
        row, column = field["cursor"]
        around = rows[:top] + rows[top + len(inside) :]
        return Sight(True, inside, top, (int(row), int(column)), around)

    def holds(self, sight: Sight) -> bool:
        """Whether this text, and nothing else, is in the field."""
        shown = squeeze(sight.text)
        if not shown:
            return not self._wanted
        forms = [self._wanted]
        if self._wanted[:1] in _PROMPTS:  # a shell's mode has it as its prompt
            forms.append(self._wanted[1:])
        pattern = self._pattern(shown)
        if any(pattern.fullmatch(form) for form in forms):
            return True
        # A field of many rows shows the last of them.
        return len(sight.rows) > 2 and len(shown) > _KNOWN and self._wanted.endswith(shown)

    def holds_more(self, sight: Sight) -> bool:
        """Whether the text is in the field, and more than that does."""
        shown = squeeze(sight.text)
        return self._wanted in shown and shown != self._wanted

    def is_typed_behind(self, before: Sight, now: Sight) -> bool:
        """Whether this text is all that came in front of the cursor, where no field is seen."""
        known = before.front[-_KNOWN:]
        ends = [found.end() for found in re.finditer(f"(?={re.escape(known)})", now.front)]
        return any(
            self._pattern(now.front[end + len(known) :]).fullmatch(self._wanted)
            for end in (ends if known else [0])
        )

    def count(self, sight: Sight, also: str = "") -> int:
        """How often the text is seen around the field, by its ends or by what stood for it."""
        around = squeeze("".join(sight.around))
        ends = {self._wanted[:_KNOWN], self._wanted[-_KNOWN:], squeeze(also)[:_KNOWN]} - {""}
        long = [end for end in ends if len(end) >= _SHORT]
        found = max((around.count(end) for end in long), default=0)
        if long or not self._wanted:
            return found
        return sum(map(self._is_row, sight.around))

    def is_prompt(self, said: str) -> bool:
        """Whether a prompt of the agent's session file, cut at its end, is this text."""
        known = squeeze(said)
        return bool(known) and self._pattern(known[:200]).match(self._wanted) is not None

    def _is_row(self, row: str) -> bool:
        bare = squeeze(row)
        return bare.endswith(self._wanted) and len(bare) <= len(self._wanted) + _GLYPHS

    @staticmethod
    def _pattern(shown: str) -> re.Pattern[str]:
        """What a shown text may be in full."""
        parts = map(re.escape, _HIDDEN.split(shown))
        return re.compile(".*?".join(parts), re.DOTALL)

    @cached_property
    def is_command(self) -> bool:
        """Whether it is for the agent's own program: it may show as nothing but its effect."""
        return self._wanted[:1] in ("/", "!")
