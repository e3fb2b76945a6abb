"""What a message of Gemini CLI holds besides its text: thoughts, and what it cost. Pure; O(them).

Tested in: tests/providers/gemini/test_files.py
"""

from collections.abc import Iterator
from typing import Any

from dejavu.model import Reasoning, Usage

from ..formats.json_lines import as_int, as_str


def thoughts_of(thoughts: list[dict[str, Any]]) -> Iterator[Reasoning]:
    """Thoughts with a subject stand alone; pieces of a stream without one are joined."""
    pieces: list[str] = []
    for thought in thoughts:
        subject, words = as_str(thought.get("subject")), as_str(thought.get("description"))
        if not subject:
            pieces.append(words)
            continue
        if pieces:
            yield Reasoning(" ".join(pieces))
            pieces = []
        yield Reasoning(f"**{subject}**\n\n{words}" if words else f"**{subject}**")
    if pieces:
        yield Reasoning(" ".join(pieces))


def usage_of(tokens: dict[str, Any]) -> Usage:
    """The tokens of an answer; what is spent on thoughts is output, too."""
    output, thought = as_int(tokens.get("output")), as_int(tokens.get("thoughts"))
    return Usage(
        input_tokens=as_int(tokens.get("input")),
        output_tokens=None if output is None else output + (thought or 0),
        cache_read_input_tokens=as_int(tokens.get("cached")),
        reasoning_output_tokens=thought,
    )
