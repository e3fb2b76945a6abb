"""gptme: a JSONL file a conversation.

Reads `gptme/logs/*/conversation.jsonl` below the XDG data folder. Tools are code blocks in the
answers; what they print is a message of the system. (Form: `gptme/message.py` 0.35.)
"""

from typing import Any

from dejavu.model import Role, ToolCallResponse

from ..entry_parsers import Entries, LineEntries
from ..formats.entries import entry, first_str, usage_of
from ..formats.json_coerce import as_dict, as_str
from ..protocol import Source
from ..store_provider import StoreProvider
from . import AGENT


class GptmeParser(LineEntries):
    """One conversation."""

    repeats = False

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message; one that answers a call is a tool's."""
        said = entry(record, self.source.agent, self._strange)
        if said is None:
            return None
        meta = as_dict(record.get("metadata"))
        usage, model = usage_of(meta.get("usage")) or usage_of(meta), first_str(meta, "model")
        if said.role is Role.SYSTEM and (call := as_str(record.get("call_id"))):
            return [
                said._replace(
                    role=Role.TOOL,
                    parts=(),
                    results=(ToolCallResponse(call, record.get("content")),),
                )
            ]
        if said.role is Role.ASSISTANT:
            said = said._replace(model=model or None, usage=usage)
        return [said]


class Gptme(StoreProvider):
    """Provider of `$XDG_DATA_HOME/gptme/logs`."""

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The folder that `workspace` beside the messages leads to."""
        try:
            folder = source.path.with_name("workspace").readlink()
        except OSError:
            return stored
        return {**stored, "workspace": str(folder)}


PROVIDER = Gptme(AGENT)
