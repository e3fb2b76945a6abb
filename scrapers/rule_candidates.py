"""Changes to a rule pack that labelled screens support: signs, rules and words.

A candidate is a table of the pack's TOML, new or with one more sign, and the evidence for it. Which
of them help is for `learn` to find out. Pure. Cost: O(rows of the screens x signs x tables).

Tested in: tests/scrapers/test_labelled_screens.py
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from dejavu.model import Role

from .labelled_screens import BUSY, LabelledScreen
from .pack_text import Table, split_pack
from .packs import CompiledPack
from .pattern import Pattern
from .reading import Signals, classify
from .rules import parse_pack
from .segment import segment
from .state import State

# Candidates that are evaluated, signs and kinds of words among them.
_MOST, _MOST_SIGNS, _MOST_WORDS = 250, 40, 12
# Rows from the bottom of the screen in which hints of work are looked for.
_HINT_ROWS = 14

# Lines of a table that hold no pattern which takes further signs.
_NOT_SIGNS = re.compile(
    r"^(?:not|lacks|note|id|name|since|seen_on|style|arguments|argument|tool|after|kind|region)\b"
)
_CLASS = re.compile(r"\[(?!\^)(?:\\.|[^\]\\])+\]")
_LITERAL = re.compile(r"(?<![\[\\\w])[^\x00-\x7f\u2500-\u257f](?![*+?{])")
_SIGN = re.compile(r"^\s{0,8}[│┃|]?\s{0,4}([^\s\w\u2500-\u257f])(?=\s|$)")
_SPECIAL = frozenset("\\]^[-&~|")
# Signs of one animation: who draws one draws the others next. Braille, moons, half circles, stars.
_FAMILIES = (
    (0x2800, 0x28FF, r"\u2800-\u28ff"),
    (0x1F311, 0x1F318, "🌑-🌘"),
    (0x25D0, 0x25D3, "◐-◓"),
    (0x2722, 0x274B, "✢-❋"),
)


class Change(NamedTuple):
    """One table that is proposed, and what speaks for it: where it stood, how often, which rows."""

    table: Table
    reason: str
    screens: int
    sessions: int
    rows: tuple[str, ...]
    sign: str = ""
    atom: str = ""
    """Where a sign was added: next to which others."""

    def to_toml(self) -> str:
        """The table with its evidence next to it."""
        count = f"{self.screens} screens of {self.sessions} sessions"
        shown = "".join(f"#   {row}\n" for row in self.rows)
        return f"# {self.reason}; on {count}:\n{shown}{self.table.text.rstrip()}\n"


def candidates(text: str, sessions: Sequence[Sequence[LabelledScreen]]) -> Iterator[Change]:
    """Yield changes that might help, at most `_MOST`."""
    count = 0
    for make in (_sign_changes, _prefix_rules, _word_rules):
        for change in make(text, sessions):
            yield change
            count += 1
            if count >= _MOST:
                return


def _sign_changes(text: str, sessions: Sequence[Sequence[LabelledScreen]]) -> Iterator[Change]:
    """Yield tables with one more sign in one of their classes."""
    seen: dict[str, list[tuple[int, int, str]]] = {}
    rows: set[str] = set()
    for number, screens in enumerate(sessions):
        for index, screen in enumerate(screens):
            for row in screen.snapshot.rows:
                row = row.rstrip()
                if row:
                    rows.add(row)
                if (match := _SIGN.match(row)) is not None:
                    seen.setdefault(match.group(1), []).append((number, index, row))
            if title := screen.snapshot.title:
                rows.add(title)
                if not title[0].isalnum():
                    seen.setdefault(title[0], []).append((number, index, title))
    signs = sorted(seen.items(), key=lambda entry: -len(entry[1]))[:_MOST_SIGNS]
    for table in split_pack(text)[1]:
        for sign, places in signs:
            for edited, old in with_sign(table, _family(sign)):
                if not _matches_more(table, edited, rows):
                    continue
                yield Change(
                    edited,
                    f"{sign} is where {old} was",
                    len({place[:2] for place in places}),
                    len({place[0] for place in places}),
                    _quoted([row for *_, row in places]),
                    _family(sign),
                    old,
                )


def with_sign(table: Table, sign: str) -> Iterator[tuple[Table, str]]:
    """Yield a table with `sign` next to the signs of one class or literal, and which that is."""
    lines = table.text.splitlines(keepends=True)
    patterns = [not _NOT_SIGNS.match(line) and "=" in line for line in lines]
    atoms: dict[str, None] = {}
    for line, is_pattern in zip(lines, patterns, strict=True):
        if is_pattern:
            found = [*_CLASS.findall(line), *_LITERAL.findall(_CLASS.sub("", line))]
            atoms.update(dict.fromkeys(atom for atom in found if is_signs(atom)))
    for atom in atoms:
        if sign in atom:
            continue
        escaped = f"\\{sign}" if sign in _SPECIAL else sign
        wider = f"{atom[:-1]}{escaped}]" if len(atom) > 1 else f"[{atom}{escaped}]"
        edited = "".join(
            line.replace(atom, wider) if is_pattern else line
            for line, is_pattern in zip(lines, patterns, strict=True)
        )
        yield table._replace(text=edited), atom


def _family(sign: str) -> str:
    """Return what goes into a class for a sign: itself, or all signs of its animation."""
    for low, high, family in _FAMILIES:
        if low <= ord(sign) <= high:
            return family
    return sign


def is_signs(atom: str) -> bool:
    """Whether a class or literal is of signs, not of letters, blanks or the lines of boxes."""
    signs = [c for c in atom if ord(c) > 0x7F and not "\u2500" <= c <= "\u257f"]
    return bool(signs) or "\\u28" in atom


def _matches_more(table: Table, edited: Table, rows: set[str]) -> bool:
    """Whether a row matches a pattern of the edited table that matched none of the table's."""
    try:
        before, after = ([Pattern(p) for p in _patterns(t)] for t in (table, edited))
    except ValueError:
        return False
    return any(
        new.source != old.source and any(new.search(r) and not old.search(r) for r in rows)
        for old, new in zip(before, after, strict=True)
    )


def _patterns(table: Table) -> list[str]:
    lines = [line for line in table.text.splitlines() if not _NOT_SIGNS.match(line)]
    return [source for line in lines for source in re.findall(r"'([^'\n]+)'", line)]


def _prefix_rules(text: str, sessions: Sequence[Sequence[LabelledScreen]]) -> Iterator[Change]:
    """Yield rules for prompts and answers from what comes before their first words."""
    taken = {table.id for table in split_pack(text)[1]}
    for role, kind in ((Role.USER, "user"), (Role.ASSISTANT, "text")):
        places: dict[str, list[tuple[int, int, str]]] = {}
        for number, screens in enumerate(sessions):
            for index, screen in enumerate(screens):
                for who, said in screen.said:
                    if who is role and (start := _first_row(screen, said)) is not None:
                        places.setdefault(start[0], []).append((number, index, start[1]))
        for prefix, found in places.items():
            if len({place[:2] for place in found}) < 2 or not prefix.strip():
                continue
            width = len(prefix)
            identity = f"learnt-{kind}"
            number = next(n for n in range(1, 99) if f"{identity}-{n}" not in taken)
            toml = (
                f'[[line]]\nid = "{identity}-{number}"\nkind = "{kind}"\n'
                f"first = '^{_escaped(prefix)}(?P<text>\\S.*)$'\n"
                f"next = '^( {{{width}}}(?P<text>.*)|)$'\n"
            )
            if "'" in prefix:
                continue
            yield Change(
                Table("line", f"{identity}-{number}", kind, toml),
                f"what comes before {'prompts' if kind == 'user' else 'answers'}",
                len({place[:2] for place in found}),
                len({place[0] for place in found}),
                _quoted([row for *_, row in found]),
            )


def _escaped(text: str) -> str:
    return re.escape(text).replace("\\ ", " ")


def _first_row(screen: LabelledScreen, said: str) -> tuple[str, str] | None:
    """Return what comes before the first words of a text on the screen, and its row."""
    line = next((line for line in said.splitlines() if re.search(r"\w", line)), "")
    words = re.sub(r"[*_`#]+", "", line).split()[:4]
    if sum(map(len, words)) < 8:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    for row in screen.snapshot.rows:
        match = pattern.search(row)
        if match is not None and match.start() <= 8 and not re.search(r"\w", row[: match.start()]):
            return row[: match.start()], row.rstrip()
    return None


_WordPlace = tuple[int, int, str, str]
"""The numbers of a session and of its screen, the row and its region."""


def _words_by_state(
    pack: CompiledPack, sessions: Sequence[Sequence[LabelledScreen]]
) -> tuple[set[str], dict[str, list[_WordPlace]]]:
    """Return the pairs of words of idle screens, and where those of misread work stand."""
    idle: set[str] = set()
    busy: dict[str, list[_WordPlace]] = {}
    for number, screens in enumerate(sessions):
        for index, screen in enumerate(screens):
            layout = segment(pack, screen.snapshot)
            rows = [(n, row) for n, row in enumerate(layout.rows) if row][-_HINT_ROWS:]
            if screen.state != BUSY:
                idle.update(pair for row in layout.rows for pair in _pairs(row))
                continue
            read = classify(pack, screen.snapshot, layout, Signals()).state
            if read in (State.WORKING, State.BLOCKED):
                continue
            said = " ".join(text for _, text in screen.said)
            for place, row in rows:
                region = next(
                    (r.name for r in layout.regions if r.top <= place < r.bottom), "transcript"
                )
                for pair in _pairs(row):
                    if pair not in said:
                        busy.setdefault(pair, []).append((number, index, row, region))
    return idle, busy


def _word_rules(text: str, sessions: Sequence[Sequence[LabelledScreen]]) -> Iterator[Change]:
    """Yield rules from two words that stand on screens of work which are misread, on no idle one."""
    idle, busy = _words_by_state(CompiledPack(parse_pack(text, "learnt")), sessions)
    taken = {table.id for table in split_pack(text)[1]}
    number = next(n for n in range(1, 99) if f"learnt-working-{n}" not in taken)
    ranked = sorted(busy.items(), key=lambda entry: -len({place[:2] for place in entry[1]}))
    for pair, places in [entry for entry in ranked if entry[0] not in idle][:_MOST_WORDS]:
        if len({place[:2] for place in places}) < 2:
            continue
        region = Counter(place[3] for place in places).most_common(1)[0][0]
        region = "tail" if region == "transcript" else region
        words = r"\s+".join(map(re.escape, pair.split()))
        toml = (
            f'[[state]]\nid = "learnt-working-{number}"\nstate = "working"\nregion = "{region}"\n'
            f"any = ['\\b{words}\\b']\nabsent = [\"dialog\"]\npriority = 75\n"
        )
        yield Change(
            Table("state", f"learnt-working-{number}", "", toml),
            "words that stand only where it is at work",
            len({place[:2] for place in places}),
            len({place[0] for place in places}),
            _quoted([place[2] for place in places]),
        )


def _pairs(row: str) -> set[str]:
    words = re.findall(r"[A-Za-z]{2,}", row)
    return {f"{a} {b}" for a, b in pairwise(words)}


def _quoted(rows: Sequence[str]) -> tuple[str, ...]:
    """Return up to three different rows, short, for a comment."""
    distinct = dict.fromkeys("".join(c if c.isprintable() else " " for c in row) for row in rows)
    return tuple(row.strip()[:72] for row in list(distinct)[:3])
