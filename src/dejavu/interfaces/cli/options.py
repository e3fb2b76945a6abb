"""Options that several commands share, written once.

Takes nothing; gives `Annotated` types for commands, and the reading of time filters.
"""

import re
import time
from datetime import datetime, timedelta
from typing import Annotated

from .fast_parser import Option

Json = Annotated[bool, Option("--json", help="One JSON document on stdout.")]
JsonLines = Annotated[bool, Option("--jsonl", help="One JSON object a line on stdout.")]
Agent = Annotated[str | None, Option("--agent", "-a", help="Only this agent.")]
Workspace = Annotated[
    str | None,
    Option("--workspace", "-w", help="Only this workspace (a folder, or its end)."),
]
Instance = Annotated[str | None, Option("--instance", "-i", help="Only this machine or container.")]
Limit = Annotated[int, Option("--limit", "-n", min=1, help="At most so many.")]

_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdwy])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "y": 365 * 86400}


def moment(text: str | None, *, now: float | None = None) -> float | None:
    """Unix seconds from `2d`, `3h`, `today`, `yesterday` or an ISO date (local where no zone says).

    Raises:
        typer.BadParameter: the text is none of these.
    """
    if text is None:
        return None
    clock = time.time() if now is None else now
    midnight = (
        datetime.fromtimestamp(clock)
        .astimezone()
        .replace(hour=0, minute=0, second=0, microsecond=0)
    )
    word = text.strip().lower()
    if word == "now":
        return clock
    if word in ("today", "yesterday"):
        return (midnight - timedelta(days=word == "yesterday")).timestamp()
    if ago := _AGO.fullmatch(word.removesuffix(" ago")):
        return clock - float(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(text.strip()).astimezone().timestamp()
    except ValueError:
        import typer  # for the error alone

        raise typer.BadParameter(
            f"{text!r} is no moment; try 2d, 3h, yesterday or 2026-11-21"
        ) from None


Since = Annotated[
    str | None,
    Option("--since", help="Not before this moment: 2d, 3h, yesterday, 2026-11-21."),
]
Until = Annotated[str | None, Option("--until", help="Not after this moment.")]
