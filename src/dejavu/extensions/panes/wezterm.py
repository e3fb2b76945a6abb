"""WezTerm by `wezterm cli`: its panes, their text with styles, keys.

It tells no process, but the terminal (`tty_name`) whose processes are looked through, and neither
which screen is shown. Documented forms of 20240203 and later; see `docs/guides/panes.md` on what was run.

Tested in: tests/extensions/panes/test_other_multiplexers.py
"""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from .multiplexer import Frame, Pane, PaneError, lines_of, one_by_one, run

_CLI = ("wezterm", "cli", "--no-auto-start")


class WezTerm:
    """The panes of the WezTerm of this user that its command line finds."""

    name = "wezterm"

    def servers(self) -> list[str]:
        """Return the one that its command line finds, if it answers."""
        try:
            _listing()
        except PaneError:
            return []
        return [""]

    def panes(self, server: str) -> list[Pane]:
        """Return every pane."""
        del server
        return [_pane(entry) for entry in _listing()]

    def why_polled(self, pane: Pane) -> str:
        """Return that it prints a pane's text when asked, and not what its program writes."""
        del pane
        return "it tells text alone"

    def frame(self, pane: Pane) -> Frame:
        """Return the screen's rows with their styles, and the cursor."""
        entry = next((one for one in _listing() if str(one.get("pane_id")) == pane.id), None)
        if entry is None:
            raise PaneError(f"{pane.source} is gone")
        now = _pane(entry)
        text = run([*_CLI, "get-text", "--escapes", "--pane-id", pane.id])
        rows = [row.rstrip("\r") for row in lines_of(text)]
        row, column = entry.get("cursor_y"), entry.get("cursor_x")
        cursor = (row, column) if isinstance(row, int) and isinstance(column, int) else None
        if cursor is not None and cursor[0] >= now.lines:
            cursor = None  # counted from the scrollback's beginning
        return Frame(
            now.columns, now.lines, tuple(rows[: now.lines]), True, cursor, title=now.title
        )

    def frames(self, panes: Sequence[Pane]) -> list[Frame | None]:
        """Return what several panes show."""
        return one_by_one(self.frame, panes)

    def write(self, pane: Pane, data: bytes, *, paste: bool) -> None:
        """Send text: as a paste, or as it is."""
        how = [] if paste else ["--no-paste"]
        run([*_CLI, "send-text", "--pane-id", pane.id, *how], data=data)


def _listing() -> list[dict[str, Any]]:
    try:
        value: Any = json.loads(run([*_CLI, "list", "--format", "json"]))
    except ValueError as error:
        raise PaneError(f"wezterm cli list: {error}") from error
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType] - JSON


def _pane(entry: dict[str, Any]) -> Pane:
    size: Any = entry.get("size") or {}
    return Pane(
        "wezterm", "", str(entry.get("pane_id")), 0, str(entry.get("tty_name") or ""),
        int(size.get("cols") or 80), int(size.get("rows") or 24), str(entry.get("title") or ""),
        unquote(urlsplit(str(entry.get("cwd") or "")).path), "",
    )  # fmt: skip
