"""An agent that runs in its own terminal, as a program asks it and is asked by it.

Starts it as a detached wrapped session, types prompts into it, says what it does and what it asks,
and ends it. Knows nothing of the protocol above it. Calls block, each for a bounded time.

Tested in: tests/extensions/acp/test_agent.py
"""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from dejavu.config.own_program import own_program
from dejavu.model import CaptureError, DejavuError
from dejavu.sessions.answer import answer, interrupt
from dejavu.sessions.delivery import deliver
from dejavu.sessions.send_input import InputRefusedError
from dejavu.sessions.session_store import SessionView, find, load
from dejavu.sessions.stop_session import stop

from .turn_updates import TurnUpdates

RUN = own_program("dejavu.interfaces.run")
_START = 60.0  # seconds in which the wrapper must have started the agent
_UPTAKE = 8.0  # seconds in which an agent shows that it works on what was typed
_REST = 0.4  # seconds that it must rest before its turn is over
_DRAWN, _BARE = 1.0, 3.0
"""Seconds that a dialog must stand: agents report it before its choices are drawn."""


class TerminalAgent:
    """One session. `view` is its state as of the last `look`."""

    def __init__(self, view: SessionView) -> None:
        self.view = view
        self.updates = TurnUpdates()
        self._prompted_at = 0.0
        self._rests_since: float | None = None
        self._dialog: tuple[Any, ...] = ()
        self._dialog_since = 0.0

    @classmethod
    def start(
        cls, command: Sequence[str], cwd: str, options: Sequence[str] = ()
    ) -> "TerminalAgent":
        """Start it in a folder.

        Raises:
            CaptureError: it could not be started; says why.
        """
        words = [*RUN, "--detach", "--size", "120x50", *options, "--", *command]
        environment = {**os.environ}
        if environment.get("TERM", "dumb") == "dumb":  # an editor's own is none of a terminal
            environment["TERM"] = "xterm-256color"
        try:
            done = subprocess.run(
                words, cwd=cwd, capture_output=True, stdin=subprocess.DEVNULL, timeout=_START,
                check=False, env=environment,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CaptureError(f"{command[0]} was not started: {error}") from error
        identity = done.stdout.decode("utf-8", "replace").split()[:1]
        if done.returncode or not identity:
            reason = done.stderr.decode("utf-8", "replace").strip()
            raise CaptureError(reason or f"{command[0]} was not started")
        return cls(find(identity[0]))

    def look(self) -> SessionView:
        """See its state."""
        self.view = load(self.view.folder) or self.view._replace(live=False)
        return self.view

    @property
    def asks(self) -> Mapping[str, Any] | None:
        """The dialog that it waits in, once that stops changing."""
        asked = self.view.status.blocked if self.view.state == "blocked" else None
        if asked is None:
            self._dialog = ()
            return None
        dialog = tuple(repr(asked.get(name)) for name in ("question", "choices", "subject"))
        if dialog != self._dialog:
            self._dialog, self._dialog_since = dialog, time.time()
        stood = time.time() - self._dialog_since
        return asked if stood >= (_DRAWN if asked["choices"] else _BARE) else None

    @property
    def asks_for_text(self) -> bool:
        """Whether what it asks is to be answered in words."""
        asked = self.asks
        return asked is not None and bool(asked.get("takes_text"))

    @property
    def is_ready(self) -> bool:
        """Whether it may be asked something."""
        return self.view.state in ("idle", "done", "error")

    def prompt(self, text: str) -> None:
        """Hand over a prompt and see it taken; where it asks for a text, that is the answer.

        Raises:
            DejavuError: it takes no input, or did not take this.
        """
        self.updates.mark(self.view.status.conversation)
        self._rests_since, self._prompted_at = None, time.time()
        if self.asks_for_text:
            answer(self.view, text, asked=self.view.status.blocked)
        else:
            deliver(self.view, text)

    def is_over(self) -> bool:
        """Whether its turn has ended: it rests, for long enough, on what was typed."""
        status, now = self.view.status, time.time()
        if not self.is_ready:
            self._rests_since = None
            return False
        if status.since < self._prompted_at and now < self._prompted_at + _UPTAKE:
            return False
        if self._rests_since is None:
            self._rests_since = now
        return now - self._rests_since >= _REST

    def choose(self, number: int, asked: Mapping[str, Any]) -> None:
        """Take a choice of a dialog, counted from 1; nothing where it is another by now.

        Raises:
            DejavuError: it did not take it, or how to answer was not read.
        """
        try:
            answer(self.view, str(number), asked=asked)
        except InputRefusedError:
            if self.look().status.blocked == asked:
                raise

    def interrupt(self) -> None:
        """Stop what it does; nothing where it rests."""
        with suppress(DejavuError):
            interrupt(self.look())

    def end(self) -> None:
        """End it."""
        with suppress(DejavuError, OSError):
            stop(self.look(), timeout=5.0, kill=True)
