"""Claude Code: one JSONL file a session, lines appended; sub-agents in files of their own.

Takes `projects/` below `${CLAUDE_CONFIG_DIR:-~/.claude}`; gives sessions and their sub-agents.
"""

from collections.abc import Iterator

from ..follow.append import follow_append
from ..parsing import facts_of, resumed
from ..protocol import Cursor, Home, RawDelta, Source
from . import locations as claude_files
from .parser import ClaudeParser


class ClaudeCode:
    """Provider of `${CLAUDE_CONFIG_DIR:-~/.claude}/projects`."""

    agent = "claude"

    def discover(self, home: Home) -> Iterator[Source]:
        """Session files and sub-agents' files, one source each."""
        return claude_files.sessions(home)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """Lines appended since."""
        return follow_append(source.path, since)

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> "ClaudeParser":
        """A parser; a session new to us is compared with its neighbours, to see a fork."""
        kept = {} if state is None else facts_of(state)
        return resumed(
            ClaudeParser(source, {**kept, **claude_files.facts(source, kept)}),
            state,
            restart=restart,
        )


PROVIDER = ClaudeCode()
