"""QwenPaw: the agent's memory, a JSON document a session.

Reads `workspaces/*/sessions/*.json` below `~/.qwenpaw`. The memory is a list of pairs, a message and
its marks. (Form: `src/qwenpaw/agents/context` of QwenPaw.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Span

from ..entry_parsers import DocumentEntries
from ..formats.json_lines import as_dict, as_list


class QwenPawParser(DocumentEntries):
    """One session, one conversation."""

    def document(self, value: Any, span: Span) -> None:
        """Take the messages out of the pairs."""
        memory = as_dict(as_dict(as_dict(value).get("agent")).get("memory"))
        pairs = as_list(memory.get("content"))
        messages = [as_dict(pair[0] if isinstance(pair, list) and pair else pair) for pair in pairs]
        super().document({"messages": [one for one in messages if one]}, span)
