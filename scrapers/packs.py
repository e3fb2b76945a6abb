"""The rule packs, compiled: which chrome belongs to which agent name.

Takes the packs of the package and the operator's overrides (file name to TOML text); gives
`Packs`, a mapping from agent name or alias to `Chrome`. Reads package resources only.
Cost: a pack is parsed and compiled when first asked for, then kept.
"""

from collections.abc import Mapping
from functools import cache
from importlib import resources

from dejavu.model import RulePackError

from .pattern import Pattern, compile_all
from .rules import ColumnRule, LineRule, Pack, RegionRule, StateRule, parse_pack
from .style import Wear, parse_wear

GENERIC = "generic"


class CompiledRegion:
    """A `RegionRule` with its patterns ready."""

    __slots__ = ("first", "has", "inner", "lacks", "last", "rule")

    def __init__(self, rule: RegionRule) -> None:
        self.rule = rule
        self.first = _maybe(rule.first)
        self.last = _maybe(rule.last)
        self.inner = _maybe(rule.inner)
        self.has = compile_all(rule.has)
        self.lacks = compile_all(rule.lacks)


class CompiledColumn:
    """A `ColumnRule` with its patterns ready."""

    __slots__ = ("glyphs", "marker", "rule")

    def __init__(self, rule: ColumnRule) -> None:
        self.rule = rule
        self.glyphs = frozenset(rule.glyphs)
        self.marker = _maybe(rule.marker)


class CompiledState:
    """A `StateRule` with its patterns ready."""

    __slots__ = ("all", "any", "none", "rule", "wear")

    def __init__(self, rule: StateRule) -> None:
        self.rule = rule
        self.all = compile_all(rule.all)
        self.any = compile_all(rule.any)
        self.none = compile_all(rule.not_)
        self.wear = parse_wear(rule.style) if rule.style else None


class CompiledLine:
    """A `LineRule` with its patterns ready."""

    __slots__ = ("first", "next", "rule", "wears")

    def __init__(self, rule: LineRule) -> None:
        self.rule = rule
        self.first = Pattern(rule.first)
        self.next = _maybe(rule.next)
        self.wears: tuple[tuple[str, Wear], ...] = tuple(
            (group, parse_wear(words)) for group, words in rule.style.items()
        )


class Chrome:
    """One agent's pack, compiled. State rules stand in order of priority."""

    __slots__ = ("asked", "columns", "lines", "pack", "regions", "states", "styled")

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.asked = _maybe(pack.asked)
        self.regions = tuple(CompiledRegion(rule) for rule in pack.region)
        self.columns = tuple(CompiledColumn(rule) for rule in pack.column)
        ranked = sorted(pack.state, key=lambda rule: -rule.priority)
        self.states = tuple(CompiledState(rule) for rule in ranked)
        self.lines = tuple(CompiledLine(rule) for rule in pack.line)
        self.styled = any(line.wears for line in self.lines)


class Packs:
    """Agent name (or alias) to `Chrome`; an unknown name, or "auto", gets the generic pack."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._chromes: dict[str, Chrome] = {}
        for file, text in sorted(texts.items()):
            chrome = _compiled(file, text)
            for name in (chrome.pack.agent, *chrome.pack.aliases):
                self._chromes[name] = chrome
        if GENERIC not in self._chromes:
            raise RulePackError(f"no pack has agent = {GENERIC!r}; restore agents/{GENERIC}.toml")

    def __getitem__(self, agent: str) -> Chrome:
        return self._chromes.get(agent.lower(), self._chromes[GENERIC])

    def __contains__(self, agent: str) -> bool:
        return agent.lower() in self._chromes

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that have a pack of their own, without aliases."""
        return tuple(sorted({chrome.pack.agent for chrome in self._chromes.values()} - {GENERIC}))


def load_packs(overrides: Mapping[str, str] | None = None) -> Packs:
    """The built-in packs, each replaced by an override of the same file name; new ones added.

    Raise `RulePackError` naming file, line and cure.
    """
    return Packs({**_built_in(), **(overrides or {})})


@cache
def default_packs() -> Packs:
    """The built-in packs, loaded once."""
    return load_packs()


@cache
def _built_in() -> dict[str, str]:
    folder = resources.files("dejavu.scrapers") / "agents"
    return {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }


@cache
def _compiled(file: str, text: str) -> Chrome:
    return Chrome(parse_pack(text, file))


def _maybe(source: str | None) -> Pattern | None:
    return None if source is None else Pattern(source)
