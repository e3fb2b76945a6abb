"""Claude Code, `claude -p --output-format stream-json --verbose [--include-partial-messages]`.

Parses that stdout (or the one object of `--output-format json`) into turns with the ids that the
session's file has. Options: 2.1.330.
"""

from ..formats.streams.command_line import Options, names
from ..formats.streams.messages import MessagesParser, accepts
from ..formats.streams.protocol import Stream

OPTIONS = Options(
    valued=names(
        "--agent --agents --append-system-prompt --append-system-prompt-file --autocompact "
        "--debug-file --effort --environment --fallback-model --input-format --json-schema "
        "--max-budget-usd --max-turns --model --name -n --output-format --permission-mode "
        "--permission-prompt-tool --permission-prompts --plugin-dir --plugin-url "
        "--remote-control-session-name-prefix --session-id --setting-sources --settings "
        "--system-prompt --system-prompt-file --system-prompt-snapshot"
    ),
    optional=names(
        "--cloud --debug -d --from-pr --prompt-suggestions --remote-control --resume -r --teleport "
        "--worktree -w"
    ),
    variadic=names(
        "--add-dir --allowedTools --allowed-tools --betas --disallowedTools --disallowed-tools "
        "--file --mcp-config --tools"
    ),
    session=names("--session-id --resume -r"),
    format={"--output-format": frozenset({"stream-json", "json"})},
)

STREAM = Stream(
    agent="claude",
    parser_class=MessagesParser,
    accepts=accepts,
    begins=(b'{"type":"system"', b'{"type": "system"', b'{"type":"result"', b'{"duration_api_ms"'),
    options=OPTIONS,
)
