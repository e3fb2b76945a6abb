"""`dejavu export --format agent-trace`: which lines of which files came from a conversation.

Tested in: tests/extensions/code/test_blame.py
"""

from collections.abc import Iterator

from dejavu.archive import Archive
from dejavu.interfaces.command_line.output import json_text
from dejavu.model import Conversation


def _agent_trace(archive: Archive, conversation: Conversation) -> Iterator[bytes]:
    from .agent_trace import conversation_trace
    from .index import EditIndex

    with EditIndex(archive) as index:
        index.catch_up()
        trace = conversation_trace(archive, index, conversation.id)
        yield json_text(trace, indent=1).encode() + b"\n"


WRITERS = {"agent-trace": _agent_trace}
