"""A conversation: one session of one agent, its permanent id, and its turns.

A `Turn` says who spoke, in which parts, when, and how it was captured (`Vector`), with `Usage`
(tokens) and `Span` (its position in the source's raw bytes). A conversation may come without its
`turns` (a summary): `turn_count` and `vectors` still say what the archive holds. For people `ID#12`
is the twelfth turn; `seq` in data counts from 0. Data only.
"""

from base64 import b32encode
from collections.abc import Callable, Iterable
from enum import StrEnum
from operator import sub
from typing import Any

import msgspec

from .blake2 import blake2b
from .part import Part, Text


class Role(StrEnum):
    """Who speaks, in the words of OpenTelemetry GenAI."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Vector(StrEnum):
    """How a turn was captured. `rank` orders them: the smaller, the more reliable."""

    NATIVE = "native"
    STREAM = "stream"
    HOOK = "hook"
    OTLP = "otlp"
    WIRE = "wire"
    SCREEN = "screen"

    @property
    def rank(self) -> int:
        """0 for the agent's own files, up to the screen, the last resort."""
        return _RANK[self]

    @property
    def label(self) -> str:
        """The source in words, for people: "session file", "screen"."""
        return _LABEL[self]


_RANK = {vector: rank for rank, vector in enumerate(Vector)}
_LABEL = {
    Vector.NATIVE: "session file",
    Vector.STREAM: "agent's output",
    Vector.HOOK: "hook",
    Vector.OTLP: "telemetry",
    Vector.WIRE: "model traffic",
    Vector.SCREEN: "screen",
}


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens and cost of one model response; None where the agent does not say.

    Names follow `gen_ai.usage.*`; `input_tokens` includes what came from a cache and what was
    written to one, `output_tokens` what was reasoned. `cache_creation_1h_input_tokens` are those
    of `cache_creation_input_tokens` that are kept an hour. `cost` is in US dollars.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    cache_creation_1h_input_tokens: int | None = None
    cost: float | None = None


class Span(msgspec.Struct, frozen=True, array_like=True):
    """Bytes `[offset, offset + length)` of the source's raw stream."""

    offset: int
    length: int


LOW_READING = "low_reading"
"""In the `meta` of a turn of the screen: its agent's screens were read badly at the time."""


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn of a conversation.

    `seq` is its index, from 0, in the order shown. `at` is Unix seconds (UTC). `native_id` and
    `parent` are the agent's own ids of this turn and of the one it answers (a tree in agents
    that branch). `spans` say where the turn is in the raw bytes of its source.
    `meta` holds small facts of the agent that have no field here (a stop reason, a sub-agent's
    id); nothing in it is needed to show the turn.
    """

    seq: int = 0
    role: Role
    parts: tuple[Part, ...] = ()
    at: float | None = None
    vector: Vector = Vector.NATIVE
    model: str | None = None
    usage: Usage | None = None
    native_id: str | None = None
    parent: str | None = None
    spans: tuple[Span, ...] = ()
    meta: dict[str, str | int | float | bool | None] = {}

    @property
    def text(self) -> str:
        """The text parts, joined by blank lines."""
        return "\n\n".join(part.content for part in self.parts if isinstance(part, Text))


LONGEST_TITLE = 200
"""Characters of a title that is taken from a prompt."""
_TITLE_SEARCH = 4096  # characters of a prompt in which its first line is looked for


class Relation(StrEnum):
    """What a conversation is to its `parent`."""

    SUBAGENT = "subagent"
    FORK = "fork"
    RESUME = "resume"
    COMPACTION = "compaction"
    SIDE = "side"
    """What the agent's harness asked a model outside the conversation: a title, a memory."""


def conversation_id(agent: str, instance: str, native_id: str) -> str:
    """Return the id of a conversation: 16 lower-case base32 characters (80 bits).

    The same native id in two instances is two conversations, so the instance is part of it; the
    workspace and the file's path are not, so a renamed folder is no duplicate.
    """
    seed = "\0".join((agent, instance, native_id)).encode("utf-8", "surrogatepass")
    return b32encode(blake2b(seed, digest_size=10).digest()).decode("ascii").lower()


class Conversation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session of one agent.

    `workspace` is the project's folder as the agent saw it, `instance` the machine or container
    it ran in. `project` is the name that the workspace's clones and worktrees share, empty where
    none is known (`config.projects`). Times are Unix seconds (UTC). `source` names where the turns
    were read from (a path or a URL). `parent` is the id of the conversation this one came from, `relation` how.
    `starred` and `tags` (sorted) are what a person marked it with; `agent_title` is set where a person
    renamed it, and is the title it had.
    """

    id: str
    workspace: str = ""
    project: str = ""
    instance: str = "local"
    agent: str
    native_id: str = ""
    title: str = ""
    started_at: float | None = None
    ended_at: float | None = None
    captured_at: float | None = None
    turn_count: int = 0
    vectors: tuple[Vector, ...] = ()
    parent: str | None = None
    relation: Relation | None = None
    source: str | None = None
    agent_version: str | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    agent_title: str | None = None
    turns: tuple[Turn, ...] = ()

    @property
    def place(self) -> str:
        """What people call its project: `project`, or the folder where it is in no repository."""
        return self.project or self.workspace

    @property
    def is_side(self) -> bool:
        """Whether it is nothing that a person held: lists, searches and figures leave it out.

        Of what the agent itself keeps as a session nothing is left out.
        """
        return self.relation is Relation.SIDE and Vector.NATIVE not in self.vectors

    def with_turns(self, turns: tuple[Turn, ...]) -> "Conversation":
        """Return a copy with `turns`, numbered from 0, and the fields derived from them.

        Derived are `turn_count`, `vectors` (by rank), `started_at` and `ended_at` (widened to the
        turns' times), and an empty `title` (the first prompt's first line, see `title_from`).
        """
        numbered = tuple(
            turn if turn.seq == seq else msgspec.structs.replace(turn, seq=seq)
            for seq, turn in enumerate(turns)
        )
        times = [turn.at for turn in numbered]
        started = min((at for at in (self.started_at, *times) if at is not None), default=None)
        ended = max((at for at in (self.ended_at, *times) if at is not None), default=None)
        return msgspec.structs.replace(
            self,
            turns=numbered,
            turn_count=len(numbered),
            vectors=tuple(sorted({turn.vector for turn in numbered}, key=lambda v: v.rank)),
            started_at=started,
            ended_at=ended,
            title=self.title or _title(numbered),
        )


def _title(turns: tuple[Turn, ...]) -> str:
    """Return the first prompt's title; empty where there is none."""
    return next((t for turn in turns if turn.role == "user" and (t := title_from(turn.text))), "")


def title_from(prompt: str) -> str:
    """Return the first line of a prompt, cut at `LONGEST_TITLE` characters with an ellipsis."""
    lines = prompt[:_TITLE_SEARCH].strip().splitlines()
    line = lines[0] if lines else ""
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…"


def turn_number(seq: int) -> int:
    """The number of a turn for people, from 1 on."""
    return seq + 1


def turn_name(conversation: str, seq: int) -> str:
    """`ID#12`: what every command, the page and the MCP tools take and print."""
    return f"{conversation}#{turn_number(seq)}"


def seq_of(number: int) -> int:
    """The `seq` of the turn that people call `number`."""
    return number - 1


def usage_max(first: Usage | None, second: Usage | None) -> Usage | None:
    """Of two counts of one response, each growing while it streams, the greater."""
    if first is None or second is None:
        return second if first is None else first
    return _each(first, second, max)


def usage_delta(total: Usage | None, before: Usage | None) -> Usage | None:
    """What `total` has beyond `before`, so that turns of one message add up to it."""
    return total if total is None or before is None else _each(total, before, sub)


def _each(first: Usage, second: Usage, joined: Callable[[Any, Any], Any]) -> Usage:
    fields = {
        name: a if b is None else b if a is None else joined(a, b)
        for name in first.__struct_fields__
        for a, b in ((getattr(first, name), getattr(second, name)),)
    }
    return Usage(**fields)


def exchanges(turns: Iterable[Turn]) -> list[list[Turn]]:
    """`turns` cut before every prompt; what precedes the first prompt is a separate exchange."""
    cut: list[list[Turn]] = []
    for turn in turns:
        if turn.role is Role.USER or not cut:
            cut.append([])
        cut[-1].append(turn)
    return cut
