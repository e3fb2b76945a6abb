"""What the providers of session files share: following a file as it grows, and restoring a parser.

A subclass says where its agent's sessions lie, by which parser each is read, and what is to be
known of a session from files next to it.

Tested in: tests/providers/copilot/test_files.py
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from .follow.append import follow_append
from .follow.document import follow_whole
from .parsing import RecordParser, facts_of, restore
from .protocol import Cursor, Home, Kind, RawDelta, Source


class SessionFileProvider(ABC):
    """Provider of an agent that keeps a file a session: lines appended, or a document rewritten."""

    agent: str
    parser_class: ClassVar[type[RecordParser]]
    """The parser of a session file; see `parser_for` where an agent has more than one form."""

    @abstractmethod
    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folders that `discover` looks into, whether they exist or not."""

    @abstractmethod
    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session file below `home`."""

    def source(
        self, home: Home, path: Path, native_id: str | None, kind: Kind = Kind.APPEND
    ) -> Source:
        """The source that a session file is."""
        return Source(self.agent, path, home.instance, kind, native_id, home.workspace)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """Lines appended since, or the whole document if it changed."""
        follow = follow_append if source.kind is Kind.APPEND else follow_whole
        return follow(source.path, since)

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> RecordParser:
        """A parser at the start of the stream, or where `state` left off.

        Raises:
            StaleStateError: another version of the parser wrote `state`; parse the raw again.
        """
        stored = {} if state is None else facts_of(state)
        parser = self.parser_for(source)(source, self.facts(source, stored))
        return restore(parser, state, restart=restart)

    def parser_for(self, source: Source) -> type[RecordParser]:  # noqa: ARG002 - one form suffices most
        """The parser for the form that this session has."""
        return self.parser_class

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - most have none
        """What is known of a session from next to its file; `stored` is what was known before."""
        return stored
