"""Qwen Code, `qwen -p PROMPT --output-format stream-json [--include-partial-messages]`.

Parses that stdout into turns. Each line has its own id as `message.id`, so lines of one
response are told from the next by the tool results between them. Options: 0.24.4.
"""

from typing import ClassVar

from ..formats.streams.command_line import Options, names
from ..formats.streams.messages import MessagesParser, accepts
from ..formats.streams.protocol import Stream


class QwenStreamParser(MessagesParser):
    """Anthropic messages whose ids are those of the lines."""

    ids_name_messages: ClassVar[bool] = False


OPTIONS = Options(
    valued=names(
        "--prompt -p --prompt-interactive -i --model -m --output-format -o --input-format "
        "--approval-mode --auth-type --resume -r --session-id --max-session-turns --channel "
        "--openai-api-key --openai-base-url --system-prompt --append-system-prompt --sandbox-image "
        "--openai-logging-dir --json-schema --max-wall-time --max-tool-calls"
    ),
    variadic=names(
        "--allowed-mcp-server-names --allowed-tools --exclude-tools --core-tools --extensions -e "
        "--include-directories --add-dir"
    ),
    prompt=names("--prompt -p --prompt-interactive -i"),
    session=names("--resume -r --session-id"),
    format=dict.fromkeys(("--output-format", "-o"), names("stream-json json")),
    joined=True,
)

STREAM = Stream(
    agent="qwen",
    parser_class=QwenStreamParser,
    accepts=accepts,
    begins=(b'{"type":"system"', b'{"type": "system"'),
    options=OPTIONS,
)
