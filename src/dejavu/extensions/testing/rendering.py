"""A screen as the three files of a golden case, and back.

    screen.txt   the rows, without blanks at their ends
    styles.txt   a legend (`a  bold fg=2`), then a row for a row, a letter for a cell, `.` plain
    case.toml    size, cursor, title, screen

Two screens look alike exactly if the files are equal: letters are given in the order in which
styles come. O(cells).
"""

import json
import re
import string
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from dejavu.model import ConfigError
from dejavu.screen import Snapshot, Style, Terminal

from .masks import Cell, Mask, apply
from .screen import Screen

TEXT, STYLES, FACTS = "screen.txt", "styles.txt", "case.toml"
PLAIN = "."
_UNDERLINES = ("", "underline", "double-underline", "curly-underline", "dotted-underline",
               "dashed-underline")  # fmt: skip
_FLAGS = ("bold", "dim", "italic", "blink", "inverse", "invisible", "strike", "overline")
_COLORS = {"fg": "fg", "bg": "bg", "underline_color": "line"}


@lru_cache(4096)
def describe(style: Style) -> str:
    """Return a style in words: `bold fg=2 bg=#102030 link=https://...`; "" for a plain one."""
    words = [flag for flag in _FLAGS if getattr(style, flag)]
    if style.underline:
        words.append(_UNDERLINES[style.underline])
    for name, word in _COLORS.items():
        if (color := getattr(style, name)) is not None:
            words.append(f"{word}={color}")
    if style.link:
        words.append("link=" + re.sub(r"[\s%]", lambda m: f"%{ord(m[0]):02X}", style.link))
    return " ".join(words)


def parse_style(text: str) -> Style:
    """Return the style that `describe` put in words. Raise ValueError for anything else."""
    values: dict[str, Any] = {}
    names = {word: name for name, word in _COLORS.items()}
    for word in text.split():
        key, _, value = word.partition("=")
        if word in _FLAGS:
            values[word] = True
        elif word in _UNDERLINES:
            values["underline"] = _UNDERLINES.index(word)
        elif key in names and value:
            values[names[key]] = value if value.startswith("#") else int(value)
        elif key == "link":
            values["link"] = value
        else:
            raise ValueError(f"{word!r} is no style")
    return Style(**values)


def _letters() -> Iterator[str]:
    """A letter for each style: those of ASCII, then those of other scripts."""
    more = (chr(code) for code in range(0xC0, 0x31350))
    return chain(string.ascii_letters, string.digits, (c for c in more if c.isalpha()))


def render_row(screen: Screen, row: int, masks: Sequence[Mask]) -> tuple[str, tuple[str, ...]]:
    """Return the text of a row and the style in words of each cell, up to the last styled one."""
    cells = screen.snapshot.cells(row)
    styles = [""] * len(cells)
    last = 0
    for run in screen.snapshot.styles[row]:
        styles[run.start : run.end] = [describe(run.style)] * (run.end - run.start)
        last = run.end
    if not masks:
        return screen.rows[row], tuple(styles[:last])
    masked = apply(list(zip(cells, styles, strict=True)), row, masks)
    last = max((n for n, (_, looks) in enumerate(masked, 1) if looks), default=0)
    text = "".join(cell for cell, _ in masked).rstrip()
    return text, tuple(looks for _, looks in masked[:last])


@dataclass(frozen=True)
class Rendering:
    """What is compared: rows of text, rows of style words by column, and facts."""

    rows: tuple[str, ...]
    styles: tuple[tuple[str, ...], ...]
    facts: dict[str, Any] = field(hash=False)

    @classmethod
    def of(cls, screen: Screen, masks: Sequence[Mask] = ()) -> "Rendering":
        """Return what `screen` shows, masked."""
        rendered = [render_row(screen, row, masks) for row in range(screen.lines)]
        title = [(character, "") for character in screen.title]
        facts = {
            "size": f"{screen.columns}x{screen.lines}",
            "cursor": list(screen.cursor) if screen.cursor_visible else "hidden",
            "title": "".join(cell for cell, _ in apply(title, -1, masks)),
            "alternate": screen.alternate,
        }
        return cls(tuple(row for row, _ in rendered), tuple(looks for _, looks in rendered), facts)

    def without(self, *, styles: bool, cursor: bool) -> "Rendering":
        """Return it without what is not to be compared."""
        kept = self if styles else replace(self, styles=((),) * len(self.styles))
        if cursor:
            return kept
        return replace(kept, facts={k: v for k, v in self.facts.items() if k != "cursor"})

    # ----------------------------------------------------------------------------------- files

    def files(self) -> dict[str, str]:
        """Return the text of each file."""
        letters: dict[str, str] = {"": PLAIN}
        fresh = _letters()
        drawn: list[str] = []
        for row in self.styles:
            for looks in row:
                if looks not in letters:
                    letters[looks] = next(fresh)
            drawn.append("".join(map(letters.__getitem__, row)))
        legend = [f"{letter}  {looks or 'plain'}" for looks, letter in letters.items()]
        facts = (f"{key} = {_toml(value)}\n" for key, value in self.facts.items())
        return {
            TEXT: "".join(f"{row}\n" for row in self.rows),
            STYLES: "\n".join([*legend, "", *(row.rstrip() for row in drawn)]) + "\n",
            FACTS: "".join(facts),
        }

    @classmethod
    def read(cls, folder: Path) -> "Rendering":
        """Return what is kept in `folder`.

        Raise FileNotFoundError where there is no case, ConfigError where a file is damaged.
        """
        rows = (folder / TEXT).read_text("utf-8").split("\n")[:-1]
        styles: list[tuple[str, ...]] = [()] * len(rows)
        try:
            facts = tomllib.loads((folder / FACTS).read_text("utf-8"))
            if (folder / STYLES).exists():
                head, _, body = (folder / STYLES).read_text("utf-8").partition("\n\n")
                legend = {line[0]: line[3:] for line in head.split("\n")} | {PLAIN: ""}
                drawn = body.split("\n")[:-1]
                styles = [tuple(legend[letter] for letter in row) for row in drawn]
        except (ValueError, KeyError, IndexError) as error:
            raise ConfigError(
                f"{folder} cannot be read as a golden case ({error!r}); --golden-update writes it again"
            ) from error
        known = {key: value for key, value in facts.items() if key in _FACTS}
        return cls(tuple(rows), tuple(styles), known)

    # -------------------------------------------------------------------------------- pictures

    def cells(self) -> tuple[tuple[Cell, ...], ...]:
        """Return the cells of each row, blank ones at the end left out."""
        lines = max(len(self.rows), len(self.styles))
        snapshot = Snapshot.from_rows(self.rows)
        result: list[tuple[Cell, ...]] = []
        for row in range(lines):
            looks = self.styles[row] if row < len(self.styles) else ()
            text = snapshot.cells(row) if row < len(self.rows) else ()
            width = max(len(looks), len("".join(text).rstrip()) and len(text))
            text = (*text, *(" " * width))[:width]
            result.append(tuple(zip(text, (*looks, *[""] * width)[:width], strict=True)))
        return tuple(result)

    def snapshot(self, marked: Sequence[set[int]] = ()) -> Snapshot:
        """Return a screen to draw a picture of, the columns in `marked` (a set a row) in red."""
        from dejavu.export.replay.ansi import sgr

        columns, lines = map(int, str(self.facts.get("size", "80x24")).split("x"))
        cells = self.cells()
        columns = max(columns, *map(len, cells), 1) if cells else columns
        terminal = Terminal(columns, max(lines, len(cells)))
        drawn = ["\x1b[?7l"]
        for row, line in enumerate(cells):
            red = marked[row] if row < len(marked) else set[int]()
            padded = (*line, *[(" ", "")] * (max(red, default=-1) + 1 - len(line)))
            for column, (text, looks) in enumerate(padded):
                style = replace(parse_style(looks), link=None)
                if column in red:
                    style = replace(style, bg="#8b2230", fg="#ffffff", inverse=False)
                drawn.append(f"\x1b[{row + 1};{column + 1}H\x1b[{sgr(style)}m{text}" * bool(text))
        match self.facts.get("cursor"):
            case [int(row), int(column)]:
                drawn.append(f"\x1b[0m\x1b[{row + 1};{column + 1}H")
            case _:
                drawn.append("\x1b[?25l")
        terminal.feed("".join(drawn).encode())
        return terminal.snapshot()


_FACTS = ("size", "cursor", "title", "alternate")


def _toml(value: Any) -> str:
    """A value of `facts`; JSON's strings are TOML's except DEL, which no title holds."""
    return json.dumps(value, ensure_ascii=False)
