"""zellij by `zellij action`: its panes, their text with styles, keys.

Documented forms of 0.44 and later, where actions name a pane by `--pane-id`; an older zellij only
knows the focused pane, and its answer to `list-panes` is a failure. It tells no process: that is
found by the variables that it gives to what it starts. See `docs/guides/panes.md` on what was run.

Tested in: tests/extensions/panes/test_other_multiplexers.py
"""

import json
from collections.abc import Sequence
from typing import Any

from .multiplexer import Frame, Pane, PaneError, lines_of, one_by_one, run
from .processes import processes_with


class Zellij:
    """The sessions of this user that run."""

    name = "zellij"

    def servers(self) -> list[str]:
        """Return the sessions that run; one that has ended and could be resurrected says so."""
        try:
            text = run(["zellij", "list-sessions", "--no-formatting"]).decode("utf-8", "replace")
        except PaneError:
            return []  # it fails where there is none
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return [line.split(" ")[0] for line in lines if "(EXITED" not in line]

    def panes(self, server: str) -> list[Pane]:
        """Return the terminal panes of a session."""
        first = {
            values["ZELLIJ_PANE_ID"]: pid
            for pid, values in reversed(processes_with(("ZELLIJ_PANE_ID", "ZELLIJ_SESSION_NAME")))
            if values["ZELLIJ_SESSION_NAME"] == server
        }
        return [
            _pane(server, entry, first.get(str(entry.get("id")), 0)) for entry in _listing(server)
        ]

    def why_polled(self, pane: Pane) -> str:
        """Return that it prints a pane's text when asked, and not what its program writes."""
        del pane
        return "it tells text alone"

    def frame(self, pane: Pane) -> Frame:
        """Return what the pane shows, with its styles."""
        entry = next((one for one in _listing(pane.server) if _id(one) == pane.id), None)
        if entry is None:
            raise PaneError(f"{pane.source} is gone")
        now = _pane(pane.server, entry, pane.pid)
        text = run([*_at(pane.server), "dump-screen", "--pane-id", pane.id, "--ansi"])
        rows = [row.rstrip("\r") for row in lines_of(text)]
        told: Any = entry.get("cursor_coordinates_in_pane")
        cursor = (int(told[1]), int(told[0])) if told else None
        return Frame(
            now.columns, now.lines, tuple(rows[: now.lines]), True, cursor, title=now.title
        )

    def frames(self, panes: Sequence[Pane]) -> list[Frame | None]:
        """Return what several panes show."""
        return one_by_one(self.frame, panes)

    def write(self, pane: Pane, data: bytes, *, paste: bool) -> None:
        """Paste, or write the bytes as they are."""
        if paste:
            text = data.decode("utf-8", "replace").replace("\r", "\n")
            run([*_at(pane.server), "paste", "--pane-id", pane.id, "--", text])
        else:
            run([*_at(pane.server), "write", "--pane-id", pane.id, "--", *map(str, data)])


def _at(session: str) -> list[str]:
    return ["zellij", "--session", session, "action"]


def _listing(session: str) -> list[dict[str, Any]]:
    """The terminal panes in which a program runs."""
    try:
        value: Any = json.loads(run([*_at(session), "list-panes", "--json", "--all"]))
        return [entry for entry in value if not entry.get("is_plugin") and not entry.get("exited")]
    except (ValueError, AttributeError, TypeError) as error:
        raise PaneError(f"zellij action list-panes: {error}") from error


def _id(entry: dict[str, Any]) -> str:
    return f"terminal_{entry.get('id')}"


def _pane(session: str, entry: dict[str, Any], pid: int) -> Pane:
    return Pane(
        "zellij", session, _id(entry), pid, "",
        int(entry.get("pane_content_columns") or 80), int(entry.get("pane_content_rows") or 24),
        str(entry.get("title") or ""), str(entry.get("pane_cwd") or ""),
        str(entry.get("pane_command") or ""), "", session,
    )  # fmt: skip
