"""Amp, `amp -x PROMPT --stream-json [--stream-json-thinking]`, also `amp threads continue ID -x`.

Parses that stdout into turns. Messages have no ids, the prompt is in the stream, and a tool's
result is an object inside a text. Options: 0.0.1767830505 (January 2026); later ones print the same
lines (types of @sourcegraph/amp-sdk 0.1.0).
"""

from typing import Any, ClassVar

from ..formats.json_lines import as_dict
from ..formats.streams.command_line import Options, names
from ..formats.streams.messages import MessagesParser, accepts
from ..formats.streams.protocol import Stream
from ..formats.streams.values import arguments


class AmpStreamParser(MessagesParser):
    """Anthropic messages without ids."""

    ids_name_messages: ClassVar[bool] = False

    def unpacked(self, content: Any) -> Any:
        """The result object that a tool's text holds, as the thread's file has it."""
        value = as_dict(arguments(content))
        return value if "output" in value else content


OPTIONS = Options(
    valued=names(
        "--visibility --settings-file --log-level --log-file --mcp-config --mode -m --label --repo"
    ),
    optional=names("--execute -x"),
    prompt=names("--execute -x"),
    format={"--stream-json": frozenset(), "--stream-json-thinking": frozenset()},
    commands=(names("threads thread t"), names("continue c")),
    sessions_after=names("continue c"),
)

STREAM = Stream(
    agent="amp",
    parser_class=AmpStreamParser,
    accepts=accepts,
    begins=(b'{"type":"system"', b'{"type": "system"'),
    options=OPTIONS,
)
