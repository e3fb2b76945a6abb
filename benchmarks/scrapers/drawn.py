"""What stood on a screen at some time, by runs of three words: the measure of `versions.py`."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from dejavu.screen import Terminal

_WORD = re.compile(r"[^\W_]+")
Trigram = tuple[str, ...]
# Runs of three words that may be missing one after the other from a text that goes on.
_FORGIVEN = 2


def words(text: str) -> list[str]:
    """The words of a text without marks and case."""
    return _WORD.findall(text.lower())


def trigrams(found: list[str]) -> Iterator[Trigram]:
    """All runs of three words; of a shorter text the text itself."""
    if 0 < len(found) < 3:
        yield tuple(found)
    for start in range(len(found) - 2):
        yield tuple(found[start : start + 3])


class Drawn:
    """Runs of words that stood on the screen at some time."""

    def __init__(self, cast: Path) -> None:
        self.seen: set[Trigram] = set()
        self._rows: set[tuple[str, ...]] = set()
        with cast.open(encoding="utf-8") as lines:
            header = json.loads(next(lines))
            terminal = Terminal(header["width"], header["height"], history=100)
            for line in lines:
                _, kind, data = json.loads(line)
                if kind == "o":
                    changes = terminal.feed(data.encode())
                    self._take([str(row) for row in changes.scrolled])
                    self._take_screen(terminal, changes.rows)
                elif kind == "r":
                    columns, _, rows = data.partition("x")
                    terminal.resize(int(columns), int(rows))
                    self._take_screen(terminal, range(int(rows)))

    def _take_screen(self, terminal: Terminal, touched: Iterable[int]) -> None:
        near = {row + step for row in touched for step in (-1, 0, 1)}
        if not near:
            return
        rows = terminal.snapshot().rows
        for start in sorted(near):
            if 0 <= start < len(rows):
                self._take([row.rstrip() for row in rows[start : start + 3]])

    def _take(self, rows: list[str]) -> None:
        key = tuple(rows)
        if key in self._rows:
            return
        self._rows.add(key)
        found = words("\n".join(rows))
        self.seen.update(trigrams(found))
        self.seen.update((word,) for word in found)
        self.seen.update(pairwise(found))

    def of(self, text: str) -> list[str]:
        """The words of a text that were drawn with their neighbours."""
        found = words(text)
        if len(found) < 3:
            return found if tuple(found) in self.seen else []
        shown = [False] * len(found)
        for start, run in enumerate(trigrams(found)):
            if run in self.seen:
                shown[start : start + 3] = True, True, True
        return [word for word, is_shown in zip(found, shown, strict=True) if is_shown]

    def begun(self, text: str) -> str:
        """Return the part of an interrupted text that was drawn, from its start on."""
        ends = [match.end() for match in _WORD.finditer(text)]
        last = -1
        for start, run in enumerate(trigrams(words(text))):
            if run in self.seen:
                last = start
            elif start - last > _FORGIVEN:
                break
        return text[: ends[min(last + 2, len(ends) - 1)]] if last >= 0 else ""
