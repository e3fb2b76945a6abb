"""kitty by its remote control: its windows, their text with styles, keys.

Works where the user allows remote control and kitty listens on a socket (`listen_on`); nothing is
switched on here. Documented forms; see `docs/guides/panes.md` on what was run.

Tested in: tests/extensions/panes/test_other_multiplexers.py
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .multiplexer import Frame, Pane, PaneError, lines_of, one_by_one, run
from .processes import processes_with


class Kitty:
    """The windows of kitties that listen."""

    name = "kitty"

    def servers(self) -> list[str]:
        """Return the sockets that processes in kitty's windows were told of."""
        mine = os.environ.get("KITTY_LISTEN_ON", "")
        told = [values["KITTY_LISTEN_ON"] for _, values in processes_with(("KITTY_LISTEN_ON",))]
        return [socket for socket in dict.fromkeys([mine, *told]) if socket and _there(socket)]

    def panes(self, server: str) -> list[Pane]:
        """Return every window of every tab."""
        return [
            Pane(
                "kitty", server, str(window.get("id")), int(window.get("pid") or 0), "",
                int(window.get("columns") or 80), int(window.get("lines") or 24),
                str(window.get("title") or ""), str(window.get("cwd") or ""), "",
            )
            for window in _windows(server)
        ]  # fmt: skip

    def why_polled(self, pane: Pane) -> str:
        """Return that it prints a pane's text when asked, and not what its program writes."""
        del pane
        return "it tells text alone"

    def frame(self, pane: Pane) -> Frame:
        """Return the screen's rows with their styles."""
        text = run([*_at(pane.server), "get-text", "--ansi", "--match", f"id:{pane.id}"])
        rows = [row.rstrip("\r") for row in lines_of(text)]
        none: dict[str, Any] = {}
        windows = _windows(pane.server)
        window = next((one for one in windows if str(one.get("id")) == pane.id), none)
        columns = int(window.get("columns") or pane.columns)
        lines = int(window.get("lines") or pane.lines)
        return Frame(
            columns, lines, tuple(rows[:lines]), True,
            alternate=window.get("in_alternate_screen") is True,
            title=str(window.get("title") or ""),
        )  # fmt: skip

    def frames(self, panes: Sequence[Pane]) -> list[Frame | None]:
        """Return what several panes show."""
        return one_by_one(self.frame, panes)

    def write(self, pane: Pane, data: bytes, *, paste: bool) -> None:
        """Send text; `auto` brackets it where the program has asked for that."""
        bracket = "auto" if paste else "disable"
        run(
            [
                *_at(pane.server), "send-text", "--match", f"id:{pane.id}",
                "--bracketed-paste", bracket, "--stdin",
            ],
            data=data,
        )  # fmt: skip


def _at(server: str) -> list[str]:
    return ["kitty", "@", "--to", server]


def _windows(server: str) -> list[dict[str, Any]]:
    try:
        value: Any = json.loads(run([*_at(server), "ls"]))
        return [window for screen in value for tab in screen["tabs"] for window in tab["windows"]]
    except (ValueError, KeyError, TypeError) as error:
        raise PaneError(f"kitty @ ls: {error}") from error


def _there(socket: str) -> bool:
    """Whether a socket's file is still there; one without a file is tried."""
    kind, _, path = socket.partition(":")
    return kind != "unix" or path.startswith("@") or Path(path).is_socket()
