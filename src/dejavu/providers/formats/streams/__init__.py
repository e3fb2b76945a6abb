"""Streams: what agents print for machines when they run without a terminal, as turns.

Parses the bytes of an agent's stdout (and its argv, often the prompt's only place) into the
same updates as a session file's parser, every turn with vector `stream`. Reads nothing itself.
"""

from .command_line import Launch, Options
from .jsonl import LineParser
from .protocol import Stream

__all__ = ["Launch", "LineParser", "Options", "Stream"]
