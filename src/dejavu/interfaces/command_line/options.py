"""Parameters that several commands share: their names, help and completion, written once."""

from typing import Annotated

from .parameters import Argument, Option


def _time(text: str) -> float:
    from ..filters import parse_time  # of no use to a line without a time

    return parse_time(text)


Json = Annotated[bool, Option("--json", help="Print one JSON document.")]
JsonFields = Annotated[
    bool, Option("--json", help="Print one JSON document; --json=id,title has only these fields.")
]
Template = Annotated[
    str | None,
    Option("--format", metavar="TEMPLATE", help="Print a line for each, such as '{id} {title}'."),
]
JsonLines = Annotated[bool, Option("--jsonl", help="Print one JSON object a line.")]
Agent = Annotated[
    str | None,
    Option("--agent", "-a", help="Only this agent.", complete="agents"),
]
Workspace = Annotated[
    str | None,
    Option(
        "--workspace", "-w", help="Only this project (a folder, or its last parts).",
        complete="workspaces",
    ),
]  # fmt: skip
Instance = Annotated[
    str | None,
    Option(
        "--instance", "-i", help="Only this machine or container.",
        complete="instances",
    ),
]  # fmt: skip
Limit = Annotated[
    int, Option("--limit", "-n", min=1, max=1_000_000_000, help="Maximum number of results.")
]
RowLimit = Annotated[
    int | None,
    Option(
        "--limit", "-n", min=1, max=1_000_000_000,
        help="Maximum number of results (default: 50; with --json all).",
    ),
]  # fmt: skip
Offset = Annotated[int, Option("--offset", min=0, help="Skip this many results.")]
Side = Annotated[
    bool, Option("--side", help="Include agents' background requests (titles, memory).")
]
Since = Annotated[
    float | None,
    Option(
        "--since", parser=_time, metavar="TIME",
        help="Only turns after this time (2d, yesterday, 2026-11-21).",
    ),
]  # fmt: skip
Until = Annotated[
    float | None,
    Option("--until", parser=_time, metavar="TIME", help="Only turns before this time."),
]

AgentNames = Annotated[
    list[str] | None,
    Argument(metavar="AGENT", help="Default: those found here.", complete="agents"),
]
ConversationId = Annotated[
    str,
    Argument(
        metavar="ID", help="An id or unique prefix; `last` is the newest; `ID#12` a turn.",
        complete="conversations",
    ),
]  # fmt: skip
ConversationIds = Annotated[
    list[str],
    Argument(
        metavar="ID", help="Ids or unique prefixes; `last` is the newest.", complete="conversations"
    ),
]
Starred = Annotated[bool, Option("--starred", help="Only starred conversations.")]
Tags = Annotated[
    list[str] | None, Option("--tag", metavar="NAME", help="Only with this tag; repeatable.")
]
SessionId = Annotated[
    str,
    Argument(metavar="SESSION", help="An id, unique prefix or name.", complete="sessions"),
]
MemoryId = Annotated[
    str,
    Argument(metavar="ID", help="An id or unique prefix.", complete="memories"),
]

# Import commands say where what they read belongs; these are no filters.
ToWorkspace = Annotated[
    str | None,
    Option("--workspace", "-w", metavar="DIR", help="The project it belongs to."),
]
FromInstance = Annotated[
    str | None,
    Option("--instance", "-i", help="The machine or container it comes from."),
]
