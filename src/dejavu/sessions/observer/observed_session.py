"""The session that an observer observes, decoded once from the wrapper's `Header` event.

Tested in: tests/sessions/observer/test_observer.py
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..session_store import SessionHeader


class ObservedSession(NamedTuple):
    """Who runs, and how: `screen` is None where the configuration decides on it.

    `folder` is the session's own; None where it could not be made. `columns` and `lines` are the
    terminal's, 0 where it does not know them. `resumed` counts the observers before this one.
    """

    header: SessionHeader
    folder: Path | None
    screen: bool | None
    mode: str
    agent_pid: int | None
    columns: int
    lines: int
    resumed: int = 0

    @property
    def kept_as(self) -> SessionHeader:
        """Under which id its screen and its stream are kept: those of each observer on their own."""
        if not self.resumed:
            return self.header
        return self.header._replace(id=f"{self.header.id}-{self.resumed + 1}")

    @property
    def has_terminal(self) -> bool:
        """Whether the agent draws on a screen."""
        return self.mode != "direct"

    @property
    def has_styles(self) -> bool:
        """Whether what it draws is seen with its styles: not where a pane gives only text."""
        return self.mode != "text"


def decode_header(fields: Mapping[str, Any]) -> ObservedSession:
    """Return the session that a `Header` event is about.

    Raises:
        KeyError, TypeError, ValueError: a field is missing, or of another type.
    """
    screen, pid, folder = fields.get("screen"), fields.get("pid"), fields.get("folder")
    header = SessionHeader(
        id=str(fields["id"]),
        agent=str(fields["agent"]),
        argv=[str(word) for word in fields["argv"]],
        workspace=str(fields["workspace"]),
        instance=str(fields.get("instance") or ""),
        name=str(fields.get("name") or ""),
        wrapper_pid=int(fields.get("wrapper_pid") or 0),
        wrapper_started=int(fields.get("wrapper_started") or 0),
        started_at=float(fields["started_at"]),
        screen=bool(screen),
        source=str(fields.get("source") or ""),
    )
    return ObservedSession(
        header=header,
        folder=Path(folder) if folder else None,
        screen=None if screen is None else bool(screen),
        mode=str(fields.get("mode", "")),
        agent_pid=None if pid is None else int(pid),
        columns=int(fields.get("columns") or 0),
        lines=int(fields.get("lines") or 0),
        resumed=int(fields.get("resumed") or 0),
    )
