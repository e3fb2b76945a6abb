"""The rule packs, compiled, by agent name.

`load_packs` merges the package's packs with the operator's overrides (file name to TOML text) into
`Packs`, a mapping from agent name or alias to `CompiledPack`. Reads package resources only. Each
pack is parsed and compiled once a process, when packs are first loaded.

`parse_style` compiles the words of a rule (`bold italic !bg`) into a `StyleMatcher`, a predicate on
`Style`. Themes change colours, so the words name attributes, the presence of a colour, and the two
colours that mean the same in every theme (grey, red); never a colour's value.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from hashlib import blake2b
from importlib import resources

from dejavu.model import RulePackError
from dejavu.screen import Style

from .pattern import Match, Pattern, any_of, compile_all
from .rows import Row, width
from .rules import ColumnRule, LineRule, Pack, RegionRule, StateRule, parse_pack

Color = int | str | None
StyleMatcher = Callable[[Style], bool]


def _grey(style: Style) -> bool:
    """The foreground is a shade between black and white."""
    if style.fg == 8:  # bright black
        return True
    rgb = rgb_of(style.fg)
    return rgb is not None and max(rgb) - min(rgb) <= 12 and 40 <= max(rgb) <= 200


def is_greyed(style: Style) -> bool:
    """Whether a text is drawn fainter than usual: dim, or in grey."""
    return style.dim or _grey(style)


def _red(style: Style) -> bool:
    """The foreground is red: palette 1 or 9, or a colour whose red dominates."""
    if style.fg in (1, 9):
        return True
    rgb = rgb_of(style.fg)
    return rgb is not None and rgb[0] >= 140 and rgb[0] * 10 >= max(rgb[1:]) * 14


def _sunk(style: Style) -> bool:
    """The foreground nearly equals the background: drawn not to be seen."""
    fore, back = rgb_of(style.fg), rgb_of(style.bg)
    if fore is None or back is None:
        return style.invisible
    return max(abs(one - other) for one, other in zip(fore, back, strict=True)) <= 12


def rgb_of(colour: Color) -> tuple[int, int, int] | None:
    """Return red, green, blue of a 24-bit or 256-palette colour; None for the 16 a theme sets."""
    if isinstance(colour, str):
        value = int(colour[1:], 16)
        return value >> 16, value >> 8 & 255, value & 255
    if colour is None or colour < 16:
        return None
    if colour >= 232:
        shade = 8 + 10 * (colour - 232)
        return shade, shade, shade
    steps = (0, 95, 135, 175, 215, 255)
    index = colour - 16
    return steps[index // 36], steps[index // 6 % 6], steps[index % 6]


_WORDS: dict[str, StyleMatcher] = {
    "bold": lambda style: style.bold,
    "dim": lambda style: style.dim,
    "italic": lambda style: style.italic,
    "underline": lambda style: style.underline > 0,
    "inverse": lambda style: style.inverse,
    "strike": lambda style: style.strike,
    "fg": lambda style: style.fg is not None,
    "bg": lambda style: style.bg is not None,
    "grey": _grey,
    "red": _red,
    "sunk": _sunk,
}


def parse_style(words: str) -> StyleMatcher:
    """Compile `words` into one predicate. Raise `RulePackError` for an unknown word."""
    tests: list[tuple[StyleMatcher, bool]] = []
    for word in words.split():
        name = word.removeprefix("!")
        if name not in _WORDS:
            raise RulePackError(
                f"{name!r} is not a word of style; use one of {', '.join(sorted(_WORDS))}"
            )
        tests.append((_WORDS[name], not word.startswith("!")))
    return lambda style: all(test(style) is wanted for test, wanted in tests)


GENERIC = "generic"
# Rows a pack remembers: those of the screen, and those above it that are parsed with them.
_MAX_REMEMBERED = 1024


class CompiledRegion:
    """A `RegionRule` with its patterns compiled."""

    __slots__ = ("first", "has", "inner", "lacks", "last", "rule")

    def __init__(self, rule: RegionRule) -> None:
        self.rule = rule
        self.first = _optional(rule.first)
        self.last = _optional(rule.last)
        self.inner = _optional(rule.inner)
        self.has = compile_all(rule.has)
        self.lacks = compile_all(rule.lacks)


class CompiledColumn:
    """A `ColumnRule` with its patterns compiled."""

    __slots__ = ("glyphs", "marker", "rule")

    def __init__(self, rule: ColumnRule) -> None:
        self.rule = rule
        self.glyphs = frozenset(rule.glyphs)
        self.marker = _optional(rule.marker)


class CompiledState:
    """A `StateRule` with its patterns compiled."""

    __slots__ = ("all", "any", "none", "rule", "style_matcher")

    def __init__(self, rule: StateRule) -> None:
        self.rule = rule
        self.all = compile_all(rule.all)
        self.any = compile_all(rule.any)
        self.none = compile_all(rule.not_)
        self.style_matcher = parse_style(rule.style) if rule.style else None


class CompiledLine:
    """A `LineRule` with its patterns compiled."""

    __slots__ = ("first", "next", "rule", "style_matchers")

    def __init__(self, rule: LineRule) -> None:
        self.rule = rule
        self.first = Pattern(rule.first)
        self.next = _optional(rule.next)
        self.style_matchers: tuple[tuple[str, StyleMatcher], ...] = tuple(
            (group, parse_style(words)) for group, words in rule.style.items()
        )

    def match(self, row: Row) -> Match | None:
        """Return the match of a block's first row, with the style that the rule asks for; None without.

        The group `row` is the first visible cell.
        """
        match = self.first.match(row.text)
        if match is None:
            return None
        for group, style_matcher in self.style_matchers:
            indent = len(row.text) - len(row.text.lstrip())
            start = indent if group == "row" else match.start(group)
            if start >= 0 and not style_matcher(row.style_at(width(row.text[:start]))):
                return None
        return match


class CompiledPack:
    """One agent's pack, compiled; `spec` is its source. State rules are sorted by priority.

    `digest` tells versions of it apart.
    """

    __slots__ = (
        "_any_free",
        "_candidates",
        "_starting",
        "columns",
        "dialog_command",
        "digest",
        "lines",
        "newest_seen",
        "regions",
        "spec",
        "states",
        "styled",
    )

    def __init__(self, spec: Pack, digest: str = "") -> None:
        self.spec = spec
        self.digest = digest
        self.dialog_command = _optional(spec.dialog_command)
        self.regions = tuple(CompiledRegion(rule) for rule in spec.region)
        self.columns = tuple(CompiledColumn(rule) for rule in spec.column)
        ranked = sorted(spec.state, key=lambda rule: -rule.priority)
        self.states = tuple(CompiledState(rule) for rule in ranked)
        self.lines = tuple(CompiledLine(rule) for rule in spec.line)
        self.styled = any(line.style_matchers for line in self.lines)
        rules = (*spec.region, *spec.state, *spec.line)
        seen = [version for rule in rules for version in rule.seen_on]
        self.newest_seen = max(seen, key=_numbers, default="")
        self._forget()

    def is_older_than(self, version: str) -> bool:
        """Whether an agent's release is newer than all that the pack's rules were seen on.

        False where either is not known.
        """
        return bool(self.newest_seen) and _numbers(version) > _numbers(self.newest_seen)

    def _forget(self) -> None:
        self._any_free: Pattern | None = None
        self._candidates: dict[str | None, tuple[CompiledLine, ...]] = {}
        self._starting: dict[tuple[str, str | None], tuple[CompiledLine, ...]] = {}

    def starting(self, text: str, before: str | None = "") -> tuple[CompiledLine, ...]:
        """Return the line rules whose first row `text` may be, behind a block of the rule `before`.

        "": behind one that no rule asks for; None: behind any. O(1) for a row met before.
        """
        lines = self._candidates.get(before)
        if lines is None:
            lines = self._candidates[before] = tuple(
                line
                for line in self.lines
                if before is None or not line.rule.after or before in line.rule.after
            )
        rules = self._starting.get((text, before))
        if rules is None:
            if len(self._starting) >= _MAX_REMEMBERED:
                self._starting.clear()
            rules = self._starting[text, before] = tuple(self._matching(text, lines))
        return rules

    def starting_rule(self, row: Row) -> CompiledLine | None:
        """Return the rule whose block a row starts whatever is before it, if any."""
        return next((line for line in self.starting(row.text) if line.match(row) is not None), None)

    def opens_block(self, row: Row) -> bool:
        """Whether a row behind a blank one opens its own block, whatever the blocks before it."""
        rule = self.starting_rule(row)
        if rule is None or rule.rule.joins or rule.rule.kind in ("blank", "detail"):
            return False
        for line in self.starting(row.text, None):
            if line.rule.after or line.rule.near is not None:
                return False
            if line is rule:
                break
        return True

    def _matching(self, text: str, lines: tuple[CompiledLine, ...]) -> Iterator[CompiledLine]:
        """Return those whose first row `text` may be, up to the first that asks for nothing else."""
        if self._any_free is None:
            free = [line.first for line in self.lines if not line.rule.after]
            self._any_free = any_of(free)
        none_free = self._any_free.rules_out(text)
        for line in lines:
            if none_free and not line.rule.after:
                continue
            if line.first.match(text) is not None:
                yield line
                if not (line.rule.after or line.rule.near is not None or line.style_matchers):
                    return  # nothing can keep it from being the one

    def with_line(self, line: CompiledLine) -> "CompiledPack":
        """Return the pack with one more line rule, behind all others."""
        pack = copy(self)
        pack.lines = (*self.lines, line)
        pack._forget()
        return pack


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, before what is behind a hyphen or a plus."""
    return tuple(map(int, re.findall(r"\d{1,18}", re.split(r"[-+]", version, maxsplit=1)[0])))


class Packs:
    """Agent name (or alias) to `CompiledPack`; an unknown name, or "auto", gets the generic pack."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._packs: dict[str, CompiledPack] = {}
        for file, text in sorted(texts.items()):
            pack = _compiled(file, text)
            for name in (pack.spec.agent, *pack.spec.aliases):
                self._packs[name] = pack
        if GENERIC not in self._packs:
            raise RulePackError(f"no pack has agent = {GENERIC!r}; restore agents/{GENERIC}.toml")

    def __getitem__(self, agent: str) -> CompiledPack:
        return self._packs.get(agent.lower(), self._packs[GENERIC])

    def __contains__(self, agent: str) -> bool:
        return agent.lower() in self._packs

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents that have a pack of their own, without aliases."""
        return tuple(sorted({pack.spec.agent for pack in self._packs.values()} - {GENERIC}))


def load_packs(overrides: Mapping[str, str] | None = None) -> Packs:
    """Return the built-in packs, overrides replacing those of the same file name or adding to them.

    Raise `RulePackError`, which names file, line and fix.
    """
    return Packs({**built_in_texts(), **(overrides or {})})


@cache
def default_packs() -> Packs:
    """Return the built-in packs, loaded once."""
    return load_packs()


@cache
def built_in_texts() -> dict[str, str]:
    """Return the TOML text of every built-in pack, by file name."""
    folder = resources.files("dejavu.scrapers") / "agents"
    return {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }


@cache
def _compiled(file: str, text: str) -> CompiledPack:
    return CompiledPack(parse_pack(text, file), blake2b(text.encode(), digest_size=6).hexdigest())


def _optional(source: str | None) -> Pattern | None:
    return None if source is None else Pattern(source)
