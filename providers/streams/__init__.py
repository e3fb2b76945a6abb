"""Streams: what agents print for machines when they run without a terminal, as turns.

Takes the bytes of an agent's stdout (and its argv, where the prompt often stands only); gives the
same updates as a session file's parser, every turn with vector `stream`. Reads nothing itself.
"""

from .api import Stream, StreamParser
from .launch import Launch, Options
from .lines import LineParser
from .registry import STREAMS

__all__ = ["STREAMS", "Launch", "LineParser", "Options", "Stream", "StreamParser"]
