"""What `dejavu export -f json` or `jsonl` wrote: one conversation, with its turns.

It is read as the trajectory that the conversation would be, so that both exports come back equal.

Tested in: tests/providers/imports/test_imports.py
"""

from contextlib import suppress
from typing import Any

import msgspec

from dejavu.model import Span
from dejavu.model.serialize import conversation_from_dict

from ..formats.atif import AtifParser, trajectory
from ..formats.json_lines import UNREADABLE, as_dict


class OwnExportParser(AtifParser):
    """One exported conversation."""

    def decode(self, data: bytes) -> Any:
        """The document; of JSON Lines the conversation's line, with the turns of the lines after it."""
        with suppress(msgspec.DecodeError, RecursionError):
            rows = msgspec.json.Decoder().decode_lines(data) if b"\n{" in data else []
            if len(rows) > 1:
                return {**as_dict(rows[0]), "turns": rows[1:]}
        return super().decode(data)

    def document(self, value: Any, span: Span) -> None:
        """Take the conversation."""
        try:
            conversation = conversation_from_dict(as_dict(value))
        except (msgspec.ValidationError, KeyError, TypeError, ValueError, AttributeError):
            self.drift[UNREADABLE] += 1
            return
        super().document(trajectory(conversation), span)
