"""Prompts by what was typed: the keys give the text, the screen says where it is, and that it is one.

A sent text counts only where rows of the transcript show it: all its letters, or its ends around
what an agent draws in place of a long paste. What was typed unseen (a password, a key of a menu) is
never taken, and is forgotten. Cost: O(rows x texts not placed yet), by their first letters.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .rows import Row, letters
from .typed_keys import SentText, TypedText

# Texts that are held, and their characters; the oldest go first.
_MOST, _MAX_CHARACTERS = 500, 4 << 20
# Seconds for which a text is looked for; prompts wait in queues.
_WANTED = 900.0
# Letters around the text in its row: a name, a clock. A shorter text is a row without others.
_AROUND, _SHORT = 14, 8
# Seconds by which a row may be older than the first key: clocks differ.
_SLACK = 0.1
# What agents draw in place of a part of a text.
_HIDDEN = re.compile(
    r"\[[^\[\]]*past[^\[\]]*\d[^\[\]]*\]|\[[^\[\]]*\d+ (?:more )?lines?[^\[\]]*\]|(?:…|\.\.\.)\s*\S?\d*.*$",
    re.IGNORECASE,
)
# Letters that what an agent makes of a text shares with it, and seconds within which it is shown.
_BEGIN, _SOON = 3, 10.0
# Keys of menus that may come before a text.
_KEYS = 3
_GUTTER = re.compile(r"\s{3,}|[│┃║█▌▏]")
_MARK = re.compile(r"\s*[^\w\s]")
_MAX_ROWS = 400


@dataclass(frozen=True, slots=True)
class Extent:
    """A text that is shown in so many rows."""

    rows: int
    sent: SentText


class PromptPlaces:
    """Where the texts are among the rows of a buffer, for one reading of them.

    `is_prompt`: whether a rule takes a row for a prompt; only such rows are asked about, but where
    no rules know the agent (`guessed`): there a prompt is what was typed, and nothing else is.
    """

    def __init__(
        self,
        sent: "SentPrompts",
        rows: Sequence[Row],
        taken: set[int],
        is_prompt: Callable[[Row], bool],
        *,
        guessed: bool,
    ) -> None:
        self._sent, self._rows, self._taken = sent, rows, taken
        self._is_prompt, self.guessed = is_prompt, guessed

    def find(self, index: int) -> Extent | None:
        """Return the text that begins in the row at an index, if there is one."""
        if not self.guessed and not self._is_prompt(self._rows[index]):
            return None
        found = self._sent.find(self._rows, index, self._taken)
        if found is not None:
            self._taken.add(id(found.sent))
        return found

    def denies(self, index: int) -> bool:
        """Whether what a rule takes for a prompt there is none, because nothing like it was typed.

        What an agent made of a text, or a person had it call back, is not denied.
        """
        if not (self.guessed and self._sent.is_told and self._sent.is_whole):
            return False
        unknown = self._sent.unknown(self._rows[index], self._taken)
        if unknown is not None:
            self._taken.add(id(unknown))
        return unknown is None


class SentPrompts:
    """The texts of one session. `is_told`: whether keys are told; `is_whole`: all since its start."""

    def __init__(self) -> None:
        self._typed: TypedText | None = None  # made by the first key
        self._texts: list[tuple[SentText, str]] = []
        self._placed: set[int] = set()
        self.is_told = False
        self.is_whole = True

    def __bool__(self) -> bool:
        return self.is_told or bool(self._texts)

    def feed(self, data: bytes, at: float) -> bool:
        """Take typed bytes; return whether they sent a text, or were the first."""
        is_first, self.is_told = not self.is_told, True
        if self._typed is None:
            self._typed = TypedText()
        sent = [(text, letters(text.text)) for text in self._typed.feed(data, at)]
        if sent:
            self._forget(at - _WANTED)
        self._texts += sent
        while (
            len(self._texts) > _MOST or sum(len(t.text) for t, _ in self._texts) > _MAX_CHARACTERS
        ):
            self._placed.discard(id(self._texts.pop(0)[0]))
        return is_first or bool(sent)

    @property
    def last(self) -> str:
        """The letters of the last one; empty where there is none."""
        return self._texts[-1][1] if self._texts else ""

    def _forget(self, before: float) -> None:
        """Forget the texts sent before then that no row has shown."""
        self._texts = [
            (sent, wanted) for sent, wanted in self._texts
            if id(sent) in self._placed or sent.at >= before
        ]  # fmt: skip

    def give(self, text: str, at: float) -> None:
        """Take a text that the agent was started with, which may be its first prompt."""
        self._texts.append((SentText(text, at, at, exact=True), letters(text)))

    def lose(self) -> None:
        """Some keys were not seen."""
        self.is_whole = False
        if self._typed is not None:
            self._typed.lose()

    def find(self, rows: Sequence[Row], index: int, taken: set[int]) -> Extent | None:
        """Return the text that begins in a row, of those that are not taken."""
        row = rows[index]
        for number, (sent, wanted) in enumerate(self._texts):
            if id(sent) in taken or not wanted or row.at < sent.began - _SLACK:
                continue
            for keys in range(_KEYS + 1 if len(wanted) >= _SHORT + _KEYS else 1):
                count = _extent(rows, index, wanted[keys:])
                if count and not _is_begun_below(rows, index, wanted[keys:]):
                    sent = self._without(number, keys) if keys else sent
                    self._placed.add(id(sent))
                    return Extent(count, sent)
        return None

    def _without(self, number: int, keys: int) -> SentText:
        """Take the first letters of a text for keys of a menu: the screen shows it without them."""
        sent, wanted = self._texts[number]
        places = [at for at, letter in enumerate(sent.text) if letter.isalnum()]
        sent = replace(sent, text=sent.text[places[keys] :])
        self._texts[number] = sent, wanted[keys:]
        return sent

    def until(self, at: float) -> set[int]:
        """Return the ids of the texts that were sent up to then."""
        return {id(sent) for sent, _ in self._texts if sent.at <= at}

    def unknown(self, row: Row, taken: set[int]) -> SentText | None:
        """Return a text that a row may show as the agent knows it, if one was sent before it came."""
        shown = letters(row.text)
        for sent, wanted in reversed(self._texts):
            if id(sent) in taken or not sent.at - _SOON < row.at <= sent.at + _SOON:
                continue
            begins = len(wanted) >= _BEGIN and shown.startswith(wanted[:_BEGIN])
            if begins or (not sent.exact and row.at >= sent.at):
                return sent
        return None


def _extent(rows: Sequence[Row], index: int, wanted: str) -> int:
    """Return how many rows from `index` on show a text's letters; 0 if they do not."""
    text = rows[index].text
    for shown in _columns(text):
        if len(wanted) < _SHORT:
            if shown == wanted and _MARK.match(text) is not None:
                return 1
        elif len(shown) >= len(wanted):
            if wanted in shown and len(shown) - len(wanted) <= _AROUND:
                return 1
        elif found := _begun(shown, wanted):
            return _further(rows, index, wanted, found)
    return int(_hides(text, wanted))


def _is_begun_below(rows: Sequence[Row], index: int, wanted: str) -> bool:
    """Whether a row that breaks off shows nothing of a text, and one further down begins it."""
    broken = _HIDDEN.search(rows[index].text)
    if broken is None or broken.group().startswith("[") or _begins(rows[index], wanted):
        return False
    return any(_begins(row, wanted) for row in rows[index + 1 : index + _MAX_ROWS])


def _begins(row: Row, wanted: str) -> bool:
    """Whether a row shows a text, or at least its first letters."""
    return any(wanted in part or _begun(part, wanted) for part in _columns(row.text))


def _begun(shown: str, wanted: str) -> int:
    """Return how many letters of a text stand in a row, behind a few others; 0 if too few."""
    lead = min(_AROUND, len(shown))
    found = next((len(shown) - n for n in range(lead) if wanted.startswith(shown[n:])), 0)
    return found if found >= _SHORT else 0


def _further(rows: Sequence[Row], index: int, wanted: str, found: int) -> int:
    """Return how many rows from `index` on, of which the first has so many letters, show a text."""
    for below in range(index + 1, min(len(rows), index + _MAX_ROWS)):
        text, rest = rows[below].text, wanted[found:]
        columns = _columns(text)
        if any(part.startswith(rest) and len(part) - len(rest) <= _AROUND for part in columns):
            return below - index + 1
        part = next((part for part in columns if rest.startswith(part)), "")
        if columns and not part:
            return below - index + 1 if _hides(text, rest) else 0
        found += len(part)
    return 0


def _columns(text: str) -> list[str]:
    """Return the letters of a row, and those of each of its columns if there are more."""
    parts = [part for part in map(letters, _GUTTER.split(text)) if part]
    return [*parts, "".join(parts)] if len(parts) > 1 else parts


def _hides(text: str, wanted: str) -> bool:
    """Whether a row shows the ends of a text around what is drawn for the rest of it."""
    match = _HIDDEN.search(text)
    if match is None:
        return False
    before, behind = letters(text[: match.start()]), letters(text[match.end() :])
    starts = any(wanted.startswith(before[n:]) for n in range(min(_AROUND, len(before)) + 1))
    return (
        starts
        and wanted.endswith(behind)
        and (match.group().startswith("[") or len(before) >= _SHORT)
    )
