"""The schema of a rule pack: what `scrapers/agents/<agent>.toml` may say.

`parse_pack` converts TOML text to a frozen `Pack`. Unknown keys, wrong types and broken patterns
raise `RulePackError` with file, line and fix. The engine reads these rules and never names an agent.

A pack has four kinds of rules, each with an id, dates and a note that says why it exists:

- `[[region]]` divides the screen, in file order, from its edges inwards: what no rule takes is
  the transcript.
- `[[column]]` takes columns off the transcript: scroll bars, side bars.
- `[[state]]` reads a state off the regions.
- `[[line]]` reads turns off the transcript's rows: what starts a block, what continues it.
"""

import tomllib
from datetime import date
from typing import Any, Literal

import msgspec

from dejavu.model import RulePackError

from .pattern import Pattern
from .state import State

RegionName = Literal[
    "transcript",
    "status",
    "dialog",
    "input",
    "footer",
    "header",
    "sidebar",
    "scrollbar",
    "overlay",
]
Kind = Literal[
    "user",
    "text",
    "reasoning",
    "tool_call",
    "detail",
    "response",
    "error",
    "notice",
    "skip",
    "blank",
    "fold",
    "end",
]


class _Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    note: str = ""
    since: date | None = None
    seen_on: tuple[str, ...] = ()


class RegionRule(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A block of whole rows at the `edge` of the part without a region yet.

    `last` (`first` for edge "top") must stand within `slack` rows of that edge, blank rows not
    counted; the other end is the nearest (or `farthest`) row that matches, at most `rows` rows
    on. Rows between must all match `inner`. Every `has` must match some row of the block and no
    `lacks` may. Rows left between the block and the edge are named `beyond`. Without `first` the
    block is the run of rows that match `inner`. Edge "screen" is all that is left, edge "float"
    a box over the transcript: two rows or more where the group `box` of `inner` is found.
    """

    name: RegionName
    edge: Literal["bottom", "top", "screen", "float"] = "bottom"
    first: str | None = None
    last: str | None = None
    inner: str | None = None
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    rows: int = 40
    slack: int = 0
    farthest: bool = False
    beyond: RegionName = "footer"
    alternate: bool | None = None


class ColumnRule(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Columns at the right of the transcript that are not part of it.

    A scroll bar is one cell of `glyphs` within the last `within` columns (`full`: on every row).
    A side bar starts `padding` columns before its `marker` and is blank there on all rows.
    """

    name: Literal["scrollbar", "sidebar"]
    glyphs: str = ""
    within: int = 2
    full: bool = True
    marker: str | None = None
    padding: int = 0


class StateRule(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Evidence of a state: all of `all`, one of `any`, none of `not`, on the text of `region`.

    `region` is a region's name, `tail` (the transcript's last paragraph), `typed` (what is
    left of the cursor in the input), `title`, `progress`, `prompt_mark` or `screen`. A rule whose
    region is absent does not match; one without patterns matches by its region's presence.
    `absent` names regions that must not be there. `style`: the style of the matching row where its
    text starts. `hold` keeps the last state (viewers, half drawn screens). `weak` marks an
    inference that wants confirmation.
    """

    state: State | None = None
    region: str
    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    not_: tuple[str, ...] = msgspec.field(default=(), name="not")
    style: str = ""
    absent: tuple[RegionName, ...] = ()
    priority: int = 0
    weak: bool = False
    hold: bool = False


class LineRule(_Rule, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row that starts a block of the transcript, and the rows that go on in it.

    Named groups of `first`: `text` (content), `name` and `arguments` (of a tool), `clock` (what
    is at the right, so that words wrapped before it). `next` matches the rows that go on (its
    group `text` is their content); without it rows indented at least as far as the content go on.
    `style` maps a group to the style it must have where it starts (words of `packs.parse_style`). `after`
    names the ids of rules whose block must be the one before, `near` how many blank rows may stand
    between. `tool` and `argument` name the tool and its argument where the row does not;
    `arguments` names the argument by the tool's name. Kind "detail" spells out the call (or the
    fold) before it, kind "blank" is a row without text, such as one with nothing behind a bar.
    `absorbs`: a fold, which represents the rows it replaced on the screen (`only`: those of these
    kinds). `joins`: rows that match `first` go on in the block before if it is of the same rule,
    at most `blanks` rows above.
    `verbatim`: rows are lines. `wraps`: rows go on only after one that is full, and then whatever
    other rules say.
    """

    kind: Kind
    first: str
    next: str | None = None
    style: dict[str, str] = {}
    after: tuple[str, ...] = ()
    near: int | None = None
    tool: str | None = None
    argument: str = "input"
    arguments: dict[str, str] = {}
    absorbs: bool = False
    only: tuple[Kind, ...] = ()
    joins: bool = False
    blanks: int = 0
    wraps: bool = False
    verbatim: bool = False


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The chrome of one agent. `margin`: columns at the right its word wrap leaves free.

    `default_kind` is the kind of rows no line rule claims. `numbered_code`: code comes with line numbers
    of the agent's own. `padded_code`: code in a line is between no-break spaces. `dialog_command`
    matches the row of a dialog where the command it asks for starts (group `text`; it continues to
    the next blank row): calls that the transcript cuts short are completed from it. `steady_work`:
    until a turn is over something on the screen says that it works; seen in recordings, never guessed.
    """

    agent: str
    title: str
    date: date
    aliases: tuple[str, ...] = ()
    margin: int = 0
    default_kind: Kind = "skip"
    numbered_code: bool = False
    padded_code: bool = False
    dialog_command: str | None = None
    steady_work: bool = False
    region: tuple[RegionRule, ...] = ()
    column: tuple[ColumnRule, ...] = ()
    state: tuple[StateRule, ...] = ()
    line: tuple[LineRule, ...] = ()


def parse_pack(text: str, file: str) -> Pack:
    """Return the pack of one TOML file. Raise `RulePackError`, which names `file` and the line."""
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulePackError(f"{file}: not TOML: {error}; correct the syntax there") from error
    try:
        pack = msgspec.convert(table, Pack)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")
        line = _line_of(text, path.strip("`"), message)
        raise RulePackError(
            f"{file}, line {line}: {message}; remove or correct it (the schema is in rules.py)"
        ) from error
    _check(pack, text, file)
    return pack


def _check(pack: Pack, text: str, file: str) -> None:
    """Raise `RulePackError` unless patterns compile, ids are unique, state rules have a state."""
    if pack.dialog_command is not None:
        _compiles(
            pack.dialog_command,
            f"{file}, line {_line_of(text, '$.dialog_command', '')}: dialog_command",
        )
    for section in ("region", "column", "state", "line"):
        seen: set[str] = set()
        for index, rule in enumerate(getattr(pack, section)):
            where = f"{file}, line {_line_of(text, f'$.{section}[{index}]', '')}"
            if rule.id in seen:
                raise RulePackError(
                    f"{where}: the id {rule.id!r} is used twice; rename one of them"
                )
            seen.add(rule.id)
            for source in _patterns(rule):
                _compiles(source, f"{where}: rule {rule.id!r}")
            if isinstance(rule, StateRule) and (rule.state is None) != rule.hold:
                raise RulePackError(
                    f"{where}: rule {rule.id!r} needs either a state or hold = true"
                )


def _compiles(source: str, where: str) -> None:
    try:
        Pattern(source)
    except ValueError as error:
        raise RulePackError(f"{where}, pattern {source!r}: {error}; correct it") from error


def _patterns(rule: RegionRule | ColumnRule | StateRule | LineRule) -> list[str]:
    """Return every pattern of a rule."""
    match rule:
        case RegionRule():
            ends = [rule.first, rule.last, rule.inner]
            return [source for source in ends if source is not None] + [*rule.has, *rule.lacks]
        case ColumnRule():
            return [rule.marker] if rule.marker is not None else []
        case StateRule():
            return [*rule.all, *rule.any, *rule.not_]
        case LineRule():
            return [source for source in (rule.first, rule.next) if source is not None]


def _line_of(text: str, path: str, message: str) -> int:
    """Return the line of `text` that a path such as `$.state[3].region` or an unknown key names."""
    section, _, rest = path.removeprefix("$").lstrip(".").partition("[")
    lines = text.splitlines()
    start = 0
    if rest:
        wanted = int(rest.partition("]")[0])
        starts = [n for n, line in enumerate(lines) if line.strip() == f"[[{section}]]"]
        start = starts[wanted] if wanted < len(starts) else 0
    keys = [path.rpartition(".")[2]] if "." in rest else [] if rest else [section]
    if "`" in message:
        keys.append(message.split("`")[1])
    for key in keys:
        for number in range(start, len(lines)):
            if lines[number].partition("=")[0].strip() == key:
                return number + 1
    return start + 1
