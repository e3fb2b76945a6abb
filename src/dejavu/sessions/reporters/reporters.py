"""The hosts of one session, and what each was told last.

`changed` tells those hosts that are there of a new state; a repeated state is sent once, and of
those that come within `APART` seconds the last. What fails costs a note and that host. Cost: the
start of one small program a host and change.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from dejavu.config.settings import Reporting

from ..session_store import SessionView
from . import desktop
from .announcements import Announcements, is_announced
from .host_command import HostCommand
from .report import Report, one_line
from .terminal import TerminalReporter, reporter_of

APART = 0.1
"""Seconds between two reports, at the least."""

HOSTS = {
    "tmux": "TMUX",
    "herdr": "HERDR_PANE_ID",
    "herdr.Metadata": "HERDR_PANE_ID",
    "zellij": "ZELLIJ_PANE_ID",
    "cmux": "CMUX_SURFACE_ID",
    "kitty": "KITTY_WINDOW_ID",
}
"""The file of each host (and a class in it), and a variable without which the host is not around."""


class _Host(Protocol):
    """What a host's file has."""

    NAME: str

    def update_command(
        self, environ: Mapping[str, str], report: Report, /
    ) -> Sequence[str] | None: ...

    def clear_command(
        self, environ: Mapping[str, str], report: Report, /
    ) -> Sequence[str] | None: ...


class Reporters:
    """Those that are there, by the variables of the agent's environment."""

    def __init__(
        self,
        environ: Mapping[str, str],
        config: Reporting,
        note: Callable[[str], None],
        folder: Path | None = None,
    ) -> None:
        """Find the hosts; `folder` is the session's, where its terminal is to be told, too."""
        self._environ = environ
        self._terminal: TerminalReporter | None = None
        self._announcements: Announcements | None = None
        if folder is not None and is_announced(environ, config):
            self._announcements = Announcements(environ, config, folder, note)
        if folder is not None:
            self._terminal = reporter_of(environ, config.terminal, folder, note)
        hosts: list[Any] = [*hosts_here(environ)] if config.hosts else []
        hosts += [desktop] if config.notify else []
        self._hosts: list[tuple[_Host, HostCommand]] = [
            (host, HostCommand(host.NAME, note)) for host in hosts
        ]
        self._last: Report | None = None
        self._told_at = float("-inf")
        self._waiting: SessionView | None = None

    @property
    def due(self) -> float | None:
        """Unix seconds of the next tick wanted."""
        times = [command.due for _, command in self._hosts]
        times.append(None if self._waiting is None else self._told_at + APART)
        return min((at for at in times if at is not None), default=None)

    def changed(self, view: SessionView, now: float) -> None:
        """Tell what is new of a session, a moment later where something was told just now."""
        if self._told_at <= now < self._told_at + APART:
            self._waiting = view
            return
        self._waiting = None
        report = report_of(view)
        if report == self._last or report.state == "exited":
            return
        self._last, self._told_at = report, now
        says_itself = bool((view.status.signals or {}).get("program-status"))
        if self._terminal is not None and (self._terminal.is_outside or not says_itself):
            self._terminal.told(report, str((view.status.blocked or {}).get("kind", "")))
        if self._announcements is not None:
            self._announcements.told(report)
        for host, running in self._hosts:
            if (command := host.update_command(self._environ, report)) is not None:
                running.run(command, now)

    def tick(self, now: float) -> None:
        """Let the commands go on, and tell what has waited."""
        if self._waiting is not None and now >= self._told_at + APART:
            self.changed(self._waiting, now)
        for _, running in self._hosts:
            running.tick(now)

    def moved(self) -> None:
        """Continue, in this process, what another began."""
        for _, running in self._hosts:
            running.moved()

    def close(self) -> None:
        """The session is over: take back what is shown."""
        self._waiting = None
        for host, running in self._hosts:
            running.close(
                None if self._last is None else host.clear_command(self._environ, self._last)
            )


def hosts_here(environ: Mapping[str, str]) -> Iterator[_Host]:
    """The hosts around an agent with this environment; the file of no other is imported."""
    for name, variable in HOSTS.items():
        if environ.get(variable):
            file, _, part = name.partition(".")
            host: Any = import_module(f"{__package__}.{file}")
            host = getattr(host, part) if part else host
            if host.is_here(environ):
                yield host


def report_of(view: SessionView) -> Report:
    """What hosts are told of a session: what is asked comes before the agent's own words."""
    asked = view.status.blocked if view.state == "blocked" else None
    message = str(asked.get("question") or "") if asked else view.status.message
    session = view.session
    pending = tuple((str(one["kind"]), int(one["count"])) for one in view.status.pending)
    return Report(
        view.state, one_line(session.agent), session.id, one_line(session.name), one_line(message),
        pending,
    )  # fmt: skip
