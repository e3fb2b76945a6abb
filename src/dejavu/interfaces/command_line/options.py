"""Parameters that several commands share: their names, help and completion, written once."""

from typing import Annotated

import typer

from ..filters import parse_time
from . import complete

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
JsonLines = Annotated[bool, typer.Option("--jsonl", help="Print one JSON object a line.")]
Agent = Annotated[
    str | None,
    typer.Option("--agent", "-a", help="Only this agent.", autocompletion=complete.agents),
]
Workspace = Annotated[
    str | None,
    typer.Option(
        "--workspace", "-w", help="Only this workspace (a folder, or its last parts).",
        autocompletion=complete.workspaces,
    ),
]  # fmt: skip
Instance = Annotated[
    str | None,
    typer.Option(
        "--instance", "-i", help="Only this machine or container.",
        autocompletion=complete.instances,
    ),
]  # fmt: skip
Limit = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=1_000_000_000, help="Maximum number of results.")
]
RowLimit = Annotated[
    int | None,
    typer.Option(
        "--limit", "-n", min=1, max=1_000_000_000,
        help="Maximum number of results (default: 50; with --json all).",
    ),
]  # fmt: skip
Offset = Annotated[int, typer.Option("--offset", min=0, help="Skip this many results.")]
Side = Annotated[
    bool, typer.Option("--side", help="Also what agents asked on the side (titles, memories).")
]
Since = Annotated[
    float | None,
    typer.Option(
        "--since", parser=parse_time, metavar="TIME",
        help="Only turns after this time (2d, yesterday, 2026-11-21).",
    ),
]  # fmt: skip
Until = Annotated[
    float | None,
    typer.Option("--until", parser=parse_time, metavar="TIME", help="Only turns before this time."),
]

AgentNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="AGENT", help="Default: those found here.", autocompletion=complete.agents
    ),
]
ConversationId = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="An id or unique prefix; `last` is the newest; `ID#12` a turn.",
        autocompletion=complete.conversations,
    ),
]  # fmt: skip
SessionId = Annotated[
    str,
    typer.Argument(
        metavar="SESSION", help="An id, unique prefix or name.", autocompletion=complete.sessions
    ),
]
MemoryId = Annotated[
    str,
    typer.Argument(metavar="ID", help="An id or unique prefix.", autocompletion=complete.memories),
]

# Import commands say where what they read belongs; these are no filters.
ToWorkspace = Annotated[
    str | None,
    typer.Option("--workspace", "-w", metavar="DIR", help="The project it belongs to."),
]
FromInstance = Annotated[
    str | None,
    typer.Option("--instance", "-i", help="The machine or container it comes from."),
]
