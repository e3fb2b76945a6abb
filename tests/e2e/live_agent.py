"""A real agent of the rig in a session of its own, as a test's person handles it.

Waits, presses keys, leaves dialogs and ends it. It judges nothing.
"""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.fleet_agents import FleetAgents, fleet_agents

from dejavu.capsule.control import ask, send
from dejavu.config.own_program import own_program
from dejavu.model import DejavuError
from dejavu.sessions.answer import answer, interrupt
from dejavu.sessions.field_text import FieldText
from dejavu.sessions.session_store import SessionView, find, load
from dejavu.sessions.stop_session import stop

__all__ = ["LiveAgent", "own_fleet"]

_RESTS = frozenset({"idle", "done", "error"})


class LiveAgent:
    """One agent, its session, and its model's log."""

    def __init__(self, fleet: FleetAgents, name: str, turns: Sequence[dict[str, Any]]) -> None:
        self.name, self.version = name, fleet.version(name)
        self.project, self._program = fleet.make(name, turns)
        self.requests = fleet.base / name / "model" / "requests.jsonl"
        self.begin()

    def begin(self) -> None:
        """Start its program, the first time or once more; $RECORD is a folder for recordings."""
        options = ["--detach", f"--name={self.name}", "--size=100x30"]
        if folder := os.environ.get("RECORD"):
            self.begun = time.time()
            options += ["--record", f"{folder}/{self.name}@{self.version}-{int(self.begun)}.cast"]
        done = subprocess.run(
            own_program("dejavu.interfaces.run", *options, "--", str(self._program)),
            cwd=self.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
            timeout=60,
        )  # fmt: skip
        self.view = find(done.stdout.split()[0])
        self._has_rested = False

    def now(self) -> SessionView:
        view = load(self.view.folder)
        assert view is not None
        return view

    def rest(self, seconds: float = 90.0) -> bool:
        """Wait until it rests, refusing what it asks and what has not ended in time."""
        end, still = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            view = self.now()
            if not view.live:
                return False
            if view.state == "blocked":
                self.leave_dialog(view)
            may_rest = view.state in _RESTS or (view.state == "unknown" and self._has_rested)
            still = still + 1 if may_rest else 0
            if still > (5 if view.state in _RESTS else 40):
                self._has_rested = True
                return True
            time.sleep(0.15)
        return False

    def leave_dialog(self, view: SessionView) -> None:
        """Take the first choice of a dialog, which lets it go on; else Enter."""
        choices = (view.status.blocked or {}).get("choices") or ()
        trusts = (view.status.blocked or {}).get("kind") == "trust"
        if choices and not (trusts and self.name == "kimi"):
            with contextlib.suppress(DejavuError):
                answer(view, "1")
                return
        time.sleep(1.0)
        if self.now().state == "blocked":
            self.keys(b"\r")
            time.sleep(1.0)

    def keys(self, data: bytes) -> None:
        send(self.view.folder / "control", data)

    def field(self) -> str:
        return FieldText(self.view.folder, "").look().text

    def empty(self) -> None:
        """Empty the text field, as a person does."""
        for _ in range(8):
            if not self.field():
                return
            self.keys(b"\x05")
            time.sleep(0.05)
            self.keys(b"\x15")
            time.sleep(0.3)
            if self.field():
                self.keys(b"\x7f" * 40)
                time.sleep(0.3)

    def resize(self, columns: int, lines: int) -> None:
        """Give its terminal another size."""
        ask(self.view.folder / "control", {"do": "resize", "columns": columns, "lines": lines})

    def close(self) -> None:
        """Interrupt what it does, and end it."""
        with contextlib.suppress(DejavuError):
            interrupt(self.now())
        stop(self.now(), timeout=5, kill=True)


@contextmanager
def own_fleet(rig: Path) -> Generator[FleetAgents]:
    """The rig's agents for a command, with a home of Déjà Vu's own in the environment."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for kind in ("STATE", "DATA", "CONFIG"):
            os.environ[f"DEJAVU_{kind}_HOME"] = f"{folder}/{kind.lower()}"
        with fleet_agents(rig) as fleet:
            os.environ["HOME"] = str(fleet.base / "home")
            yield fleet
