"""One wrapped session: the capsule with its observer, its control socket and its recording.

Light imports only, and nothing that must not fail: who the session is is written to its folder, and
where that is impossible the agent runs without being captured.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dejavu.capsule import (
    HEADLESS,
    CastWriter,
    Event,
    Header,
    ObserverProcess,
    ObserverSupervisor,
    Session,
    Size,
    SpawnError,
    mode_of,
    set_process_title,
)  # fmt: skip
from dejavu.config.own_program import own_program
from dejavu.config.paths import config_home
from dejavu.model.errors import CaptureError

from . import session_store
from .observer_address import address, may_share, observer_log

OBSERVER = own_program("dejavu.sessions.observer")


class WrappedSession:
    """An agent about to be run. `notes` are sentences the user should read afterwards."""

    def __init__(
        self,
        command: list[str],
        identity: session_store.SessionHeader,
        *,
        screen: bool | None,
        headless: bool,
        size: tuple[int, int] | None,
        record: Path | None,
        started: Callable[[str, str], None] | None = None,
    ) -> None:
        """Make the session's folder and open what listens; the agent is not started yet.

        `screen` is None where the configuration decides. `started` is called with id and name once
        the agent runs, for a session that must be found again.

        Raises:
            CaptureError: there is no place for it, and `started` is given.
        """
        self.notes: list[str] = []
        self._observer: ObserverSupervisor | None = None
        self._folder = folder = self._create_folder(identity)
        if folder is None and started is not None:
            raise CaptureError("; ".join(self.notes))
        sinks = self._open_sinks(command, folder, record)
        if (
            folder is not None
        ):  # before the observer hears of it, which writes that file from then on
            sinks.insert(0, _StartNotice(lambda pid: _name_agent(folder, identity, pid)))
        if started is not None:
            sinks.append(_StartNotice(lambda _: started(identity.id, identity.name)))
        sinks.append(_StartNotice(lambda _: _take_name(identity)))
        environment = {**os.environ, "DEJAVU_SESSION": identity.id}
        if headless:
            environment.setdefault("TERM", "xterm-256color")
        self._session = Session(
            command,
            environment,
            mode=HEADLESS if headless else mode_of(),
            size=Size(*size) if size else None,
            echo=1 if headless and started is None else None,
            sinks=sinks,
            control=str(folder / "control") if folder is not None else None,
            answer_status_query=_may_answer if folder is not None else None,
            tell_keys=folder is not None and screen is not False,
            header={
                **identity._asdict(),
                "screen": screen,
                "folder": str(folder) if folder else None,
            },
        )

    @property
    def spawned(self) -> bool:
        """Whether the agent was started."""
        return self._session.spawned

    @property
    def died_of(self) -> int:
        """The signal that ended the agent, 0 where it ended in its own way."""
        return self._session.died_of

    def run(self) -> int:
        """Run the agent to its end; its exit code.

        Raises:
            SpawnError: it cannot be started; nothing is left of the session.
        """
        try:
            code = self._session.run()
        except SpawnError:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self.notes += self._session.notes
        if self._observer is not None:
            self.notes += _notes_of(self._observer)
        return code

    def _create_folder(self, identity: session_store.SessionHeader) -> Path | None:
        try:
            return session_store.create(identity)
        except OSError as error:
            self.notes.append(f"nothing is captured: {error.filename}: {error.strerror}")
        except Exception as error:  # it is no reason to keep the agent waiting
            self.notes.append(f"nothing is captured: {error}")
        return None

    def _open_sinks(
        self, command: list[str], folder: Path | None, record: Path | None
    ) -> list[Any]:
        sinks: list[Any] = []
        if folder is not None:
            log = self._log()
            self._observer = ObserverSupervisor(
                lambda: ObserverProcess(
                    OBSERVER, log=log, server=address, shared=may_share(command)
                )
            )
            sinks.append(self._observer)
        if record is not None:
            try:
                sinks.append(CastWriter(record))
            except OSError as error:
                self.notes.append(f"not recorded: {record}: {error.strerror}")
        return sinks

    def _log(self) -> str:
        """The observer's log: what went wrong in it, never what it saw."""
        try:
            return observer_log()
        except OSError as error:
            self.notes.append(f"no log: {error.filename}: {error.strerror}")
            return os.devnull


class _StartNotice:
    """A sink that calls at the session's first event, with the pid of the agent that runs."""

    def __init__(self, call: Callable[[int], object]) -> None:
        self._call = call

    def event(self, event: Event) -> None:
        if isinstance(event, Header):
            pid = event.fields["pid"]
            self._call(pid if isinstance(pid, int) else 0)

    def close(self) -> None:
        pass


def _name_agent(folder: Path, identity: session_store.SessionHeader, pid: int) -> None:
    """Write the agent's number, for a `stop` that comes before the observer is up."""
    with contextlib.suppress(OSError):  # the observer writes it as well
        session_store.write_header(folder, identity._replace(agent_pid=pid))


def _take_name(identity: session_store.SessionHeader) -> None:
    """Be called as the agent is: multiplexers show the process in the foreground.

    The second word stays ours, for those who look for wrapped agents.
    """
    set_process_title([identity.agent or "agent", "dejavu-run", *identity.argv[1:]])


def _may_answer() -> bool:
    """Whether agents may be told that their program status is read; asked when one wants to know.

    Raises:
        ConfigError: the settings cannot be read.
    """
    if not (config_home() / "config.toml").exists():
        return True
    from dejavu.config.settings import load_config  # not on the way to an agent

    return load_config().capture.program_status


def _notes_of(observer: ObserverSupervisor) -> list[str]:
    """What the observer reported in time."""
    if not observer.report:
        return (
            []
            if not observer.done
            else ["the observer ended without a report; see `dejavu doctor`"]
        )
    try:
        report: Any = json.loads(observer.report)
    except ValueError:
        return ["the observer's report is damaged; see `dejavu doctor`"]
    return [str(sentence) for sentence in report.get("notes", [])]
