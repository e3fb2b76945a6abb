"""Claude Code: one JSONL file a session, lines appended; sub-agents in files of their own.

Reads `projects/` below `${CLAUDE_CONFIG_DIR:-~/.claude}`: sessions and their sub-agents.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..protocol import Home, Source
from ..session_files import SessionFileProvider
from . import locations
from .parser import ClaudeParser


class ClaudeCode(SessionFileProvider):
    """Provider of `${CLAUDE_CONFIG_DIR:-~/.claude}/projects`."""

    agent = "claude"
    parser_class = ClaudeParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Claude Code's folder, the one it had before, and the desktop's."""
        return locations.roots(home)

    def discover(self, home: Home) -> Iterator[Source]:
        """Session files and sub-agents' files, one source each."""
        return locations.sessions(home)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """A session new to us is compared with its neighbours, to see a fork."""
        return {**stored, **locations.facts(source, stored)}


PROVIDER = ClaudeCode()
