"""What the providers' tests share: reading a home, replaying bytes, and turns as plain lines."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dejavu.integrations.registration import edits
from dejavu.model import Conversation, Turn, part_to_dict
from dejavu.providers import PROVIDERS, Home, Kind, Parser, Source

DATA = Path(__file__).parents[1] / "factories" / "data" / "homes"


@dataclass
class Book:
    """Conversations by native id, as updates leave them."""

    heads: dict[str, Conversation] = field(default_factory=dict)
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    def take(self, parser: Parser) -> int:
        """Apply a parser's updates; gives how many turns they told."""
        told = 0
        for update in parser.take():
            native = update.conversation.native_id
            kept = self.turns.setdefault(native, [])
            assert update.start <= len(kept), "an update must join what was told before"
            kept[update.start :] = update.turns
            self.heads[native] = update.conversation
            told += len(update.turns)
        for native, kept in self.turns.items():
            assert [turn.seq for turn in kept] == list(range(len(kept)))
            assert self.heads[native].turn_count == len(kept)
        return told

    def shown(self) -> list[str]:
        """Conversations and turns, a line each, to be compared and read."""
        lines: list[str] = []
        for native, head in self.heads.items():
            up = f" {head.relation} of {head.parent}" if head.parent else ""
            lines.append(f"# {native} | {head.title} | {head.workspace}{up}")
            lines += [f"{turn.seq} {turn.role}: {shown(turn)}" for turn in self.turns[native]]
        return lines


@dataclass
class Played:
    """What a parser of a spool or a stream gave in all, by conversation."""

    heads: dict[str, Conversation] = field(default_factory=dict)
    threads: dict[str, list[Turn]] = field(default_factory=dict)
    drift: Counter[str] = field(default_factory=Counter)

    @property
    def head(self) -> Conversation:
        (head,) = (head for head in self.heads.values() if head.parent is None)
        return head

    @property
    def turns(self) -> list[Turn]:
        return self.threads[self.head.id] if self.heads else []

    def below(self) -> dict[str, list[Turn]]:
        """Conversations below the main one, by the end of their names."""
        return {
            head.native_id.rpartition("/")[2]: self.threads[key]
            for key, head in self.heads.items()
            if head.parent is not None
        }

    def take(self, parser: Any) -> None:
        for update in parser.take():
            turns = self.threads.setdefault(update.conversation.id, [])
            assert update.start <= len(turns), "an update must not leave a hole"
            turns[update.start :] = update.turns
            self.heads[update.conversation.id] = update.conversation


def shown(turn: Turn) -> str:
    """A turn's parts in short, then its model and tokens."""
    said = [" ".join(_part(part_to_dict(part))) for part in turn.parts]
    usage = turn.usage and f"{turn.usage.input_tokens}+{turn.usage.output_tokens}"
    return " / ".join(said) + "".join(f" [{x}]" for x in (turn.model, usage) if x)


def _part(plain: dict[str, Any]) -> Iterable[str]:
    yield plain.pop("type")
    if set(plain) == {"content"}:
        yield plain["content"]
    else:
        yield json.dumps(plain, ensure_ascii=False)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of small homes, one an agent, with sessions of our own making."""
    return DATA


@pytest.fixture(scope="session")
def make_book() -> Callable[[], Book]:
    """Makes an empty book."""
    return Book


@pytest.fixture
def read_home() -> Callable[[str, Path], Book]:
    """Reads every trace of one agent below a home."""

    def read(agent: str, home: Path, **given: Any) -> Book:
        provider, book = PROVIDERS[agent], Book()
        for source in provider.discover(Home(home, {}, "test", **given)):
            parser = provider.parser(source)
            for delta in provider.follow(source):
                parser.feed(delta.data, delta.offset)
                book.take(parser)
        return book

    return read


@pytest.fixture
def parse(tmp_path: Path) -> Callable[..., tuple[Book, Parser]]:
    """Parses records (or raw bytes) as a file of one agent; gives the book and the parser."""

    def run(
        agent: str,
        records: Iterable[Any] | bytes,
        name: str = "session.jsonl",
        native: str | None = "native",
        kind: Kind = Kind.APPEND,
    ) -> tuple[Book, Parser]:
        raw = (
            records
            if isinstance(records, bytes)
            else b"".join(json.dumps(one).encode() + b"\n" for one in records)
        )
        source = Source(agent, tmp_path / name, "test", kind, native)
        parser, book = PROVIDERS[agent].parser(source), Book()
        parser.feed(raw, 0)
        book.take(parser)
        return book, parser

    return run


@pytest.fixture
def in_pieces() -> Callable[..., Played]:
    """Feed bytes in pieces cut at `cuts` to the parser that `make(state)` gives.

    With `resumed`, each piece goes to a new parser, made of the last one's state. `facts` go to
    `feed` beside the bytes and their offset.
    """

    def run(
        make: Callable[[bytes | None], Any],
        data: bytes,
        cuts: Sequence[int],
        *facts: Any,
        resumed: bool = False,
        closed: bool = True,
    ) -> Played:
        played, parser = Played(), make(None)
        edges = [0, *sorted({cut % (len(data) + 1) for cut in cuts}), len(data)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            parser.feed(data[start:end], start, *facts)
            played.take(parser)
            if resumed:
                played.drift += parser.drift
                parser = make(parser.state())
        if closed:
            parser.close()
            played.take(parser)
        played.drift += parser.drift
        return played

    return run


Registered = Callable[..., dict[str, Any]]


@pytest.fixture
def registered(home: Path) -> Registered:
    """`registered("codex", CODEX_HOME="/x")` gives the values of an empty home's files, by path."""

    def register(agent: str, **environ: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for edit in edits(agent, Home(home, environ)):
            text = edit.add("")
            path = str(edit.path.relative_to(home) if edit.path.is_relative_to(home) else edit.path)
            if path.endswith(".json"):
                values[path] = json.loads(text)
            else:
                values[path] = tomllib.loads(text) if path.endswith(".toml") else text
        return values

    return register
