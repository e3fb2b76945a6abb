"""What the observer does with each event of a session.

Writes status files and archived turns, and returns the final report. Sans-loop: `__main__` owns the
descriptors and the waiting. Errors in one duty (status, archiving, screen) never stop the others:
they become notes. Memory: bounded, see `archiver` and `scrapers.session`.
"""

import os
import time
import traceback
from collections.abc import Iterable, Mapping
from typing import Any

from dejavu.archive.redactor import redaction_key
from dejavu.capsule import Event, Exit, Gap, Header, Keys, Output, Resize
from dejavu.config.settings import Config, load_config, own_instance
from dejavu.model import DejavuError
from dejavu.redact import Redactor, secret_values
from dejavu.scrapers.labelled_screens import LabelledScreen

from .. import aligned_screens
from .. import session_store as sessions
from ..reporters.reporters import Reporters
from .archiver import SessionArchiver
from .capture_policy import CaptureResult, first_screen_notice
from .observed_session import (
    FaultLog,
    ObservedSession,
    StatusReader,
    decode_header,
    redact_arguments,
)
from .reading_check import ReadingCheck
from .screen_follower import ScreenFollower
from .session_log_follower import ServerFollower
from .status_publisher import StatusPublisher

_STATUS_POLL = 0.25
"""Seconds between two looks at what hooks say, once they have said anything."""


class SessionObserver:
    """One session, from its header to its exit.

    `environment` is the agent's, where it is not this process's own: its secrets are replaced, and
    its session logs are looked for where it says. `share` is the number of sessions that this
    process observes.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self.share = 1
        self.session: ObservedSession | None = None
        self._publisher = StatusPublisher()
        self.notes = self._publisher.notes
        self.note = self._publisher.note
        self.faults = FaultLog(self.note)
        self._screen: ScreenFollower | None = None
        self._archiver: SessionArchiver | None = None
        self._status_reader: StatusReader | None = None
        self._server: ServerFollower | None = None
        self._next_poll = 0.0
        self._exit_status: int | None = None
        self._offset = 0  # bytes of the agent's output up to here

    # -- events

    def event(self, event: Event) -> None:
        """Take one event."""
        screen = self._screen
        match event:
            case Header(fields):
                self._begin(decode_header(fields))
            case Output(at, data):
                self._offset += len(data)
                if self._archiver is not None:
                    self._archiver.output(data, at)
                if screen is not None:
                    screen.output(data, at)
            case Keys(at, data) if screen is not None:
                screen.keys(data, at)
            case Resize(at, columns, lines) if screen is not None:
                screen.follow(lambda reader: reader.resize(columns, lines, at))
            case Gap(at, lost):
                reason = self._reason_of_gap(lost)
                self._offset += lost
                self.note(reason)
                if screen is not None:
                    screen.follow(lambda reader: reader.gap(lost, at, reason))
            case Exit(at, status):
                self._exit_status = status
                if screen is not None:
                    screen.exit(status, at)
            case _:
                pass

    def _reason_of_gap(self, lost: int) -> str:
        """Why bytes are missing: they were too many, or were for the observer before this one."""
        if self.session is not None and self.session.resumed and not self._offset:
            return f"{lost} bytes of output were seen only by the observer that ended"
        return f"{lost} bytes of output came too fast and were not seen"

    @property
    def due(self) -> float | None:
        """Unix seconds of the next tick wanted; None: only events matter."""
        times = [
            self._screen.due if self._screen is not None else None,
            self._publisher.due,
            self._archiver.due if self._archiver is not None else None,
        ]
        if self._status_reader is not None and self._status_reader.has_data:
            times.append(self._next_poll)
        return min((at for at in times if at is not None), default=None)

    @property
    def is_quiet(self) -> bool:
        """Whether hardly anything moved on the screen when it was last read."""
        return self._screen is None or self._screen.is_quiet

    def tick(self, now: float) -> None:
        """Do what has become due."""
        screen = self._screen
        self._poll_status(now)
        if screen is not None:
            screen.tick(now)
        self._publisher.tick(now)
        if self._archiver is not None:
            self._archiver.share = self.share
            looked = self._archiver.tick(now, None if screen is None else screen.reader)
            if looked and screen is not None:
                screen.reload_packs()

    def finish(self) -> dict[str, Any]:
        """The session is over, or its wrapper is gone: archive, and say what was kept."""
        result = CaptureResult("none")
        if self._server is not None:
            self._server.end()
        if self._publisher.folder is not None and self._archiver is not None:
            reader = None if self._screen is None else self._screen.reader
            try:
                result = self._archiver.finish(time.time(), reader, self.note)
            except (DejavuError, OSError) as error:
                self.note(f"capture failed: {error}")
            except Exception:  # a fault of ours: logged, and told in one line
                traceback.print_exc()
                self.note("capture failed by a fault of ours; `dejavu doctor` shows the log")
        if result.note:
            self.note(result.note)
        kept = self.session if "screen" in result.kept else None
        if kept is not None and (notice := first_screen_notice(kept.header.agent)):
            self.note(notice)
        self._publisher.set(
            state="exited",
            exit_status=self._exit_status,
            conversation=result.conversation,
            kept=result.kept,
        )
        sessions.remove_ended()
        return {"kept": result.kept, "conversation": result.conversation, "notes": self.notes}

    def missed(self, reason: str, at: float) -> None:
        """Something went by unseen: a gap, and a sentence for the user."""
        is_new = reason not in self.notes
        self.note(reason)
        if self._screen is not None:
            self._screen.follow(lambda reader: reader.gap(0, at, reason))
        if is_new:
            self._publisher.set()

    def leave(self, detail: str, *, follow: bool = True) -> None:
        """The agent runs on, but is observed no longer: archive what there is, and say so.

        `follow`: also what its own session log has by now, which a sync would read, too.
        """
        if self._server is not None:
            self._server.end()
        if self._archiver is not None:
            self._archiver.hurry(follow=follow)
            self._archiver.tick(time.time(), None if self._screen is None else self._screen.reader)
        self._publisher.set(
            state="unknown", rule=None, detail=detail, message="", pending=(), blocked=None
        )

    def moved(self) -> None:
        """Continue, in this process, what another began."""
        self._publisher.moved()

    def close(self) -> None:
        """Behind the last word, when no one waits any more: let the operator's command end."""
        self._publisher.close()

    def picture(self) -> dict[str, Any]:
        """The screen as it is, redacted (see `screen_server`), and up to which byte."""
        if self._screen is None:
            return {"error": "its agent has no screen that is read"}
        return {"offset": self._offset, **self._screen.picture()}

    # -- duties

    def _begin(self, session: ObservedSession) -> None:
        self.faults.session = session.header.id
        self._publisher.open(session.header.id, session.folder)
        config = self._load_config()
        self.session = session = _settled(session, config)
        header = session.header
        if session.resumed:
            self.note("the session's observer ended before the session, and was started again")
        redactor = Redactor(redaction_key(), secret_values(self._environment))
        self._publisher.redact = redactor.redact
        if config.hooks.on_change:
            self._publisher.call(config.hooks.on_change)
        if not header.source:  # an agent in a watched pane is its multiplexer's own
            self._publisher.report_to(self._reporters(session, config))
        self._follow_signals(session)
        check = self._reading_check(session, config.capture.reading_bar, redactor)
        self._archiver = archiver = SessionArchiver(
            session,
            self._status_reader,
            self.faults,
            redactor.redact,
            self._publish_conversation,
            check,
            screen=header.screen,
            environment=self._environment,
        )
        if session.has_terminal:
            follower = ScreenFollower(
                session, self._publisher, redactor, self.faults, archiver.hurry
            )
            follower.follow_check(check)
            self._screen = follower
        self._publisher.set(state="unknown", detail="nothing was drawn yet")
        self._publisher.set_session(
            argv=redact_arguments(header.argv, redactor.redact),
            instance=header.instance,
            screen=header.screen,
            agent_pid=session.agent_pid,
            size=f"{session.columns}x{session.lines}" if session.columns and session.lines else "",
            tmux="" if header.source else self._tmux_window(),
        )

    def _reporters(self, session: ObservedSession, config: Config) -> Reporters:
        folder = session.folder if session.mode == "terminal" else None
        return Reporters(self._environment, config.report, self.note, folder)

    def _follow_signals(self, session: ObservedSession) -> None:
        """Follow what hooks and the agent's own server say of its state, where it has a folder."""
        if session.folder is not None:
            self._status_reader = StatusReader(session.folder)
            self._server = ServerFollower(session.header)
            self._status_reader.has_data = self._server.runs  # it speaks where nothing is drawn

    def _reading_check(
        self, session: ObservedSession, bar: float, redactor: Redactor
    ) -> ReadingCheck:
        """Return the check of the screen's reading; with `--screen` it keeps labelled screens."""
        folder, header = session.folder, session.header

        def keep(version: str, screens: Iterable[LabelledScreen]) -> None:
            if folder is not None:
                aligned_screens.save(folder, header.agent, version, screens, redactor)

        kept = keep if header.screen else None
        return ReadingCheck(header, bar, self.faults, self._publish_reading, kept)

    def _tmux_window(self) -> str:
        """The tmux session and window that the agent runs in, where it runs in one."""
        if "TMUX_PANE" not in self._environment:
            return ""
        from ..reporters.tmux import window  # few agents run in tmux

        return window(self._environment)

    def _publish_conversation(self, conversation: str, facts: dict[str, Any]) -> None:
        """Tell which conversation of the archive this session is, as soon as there is one."""
        status = self._publisher.status
        if (conversation, facts) != (status.conversation, status.facts):
            self._publisher.set(conversation=conversation, facts=facts)

    def _publish_reading(self, reading: dict[str, Any]) -> None:
        """Tell how well the agent's screens are read, where that has changed."""
        if reading != self._publisher.status.reading:
            self._publisher.set(reading=reading)

    def _load_config(self) -> Config:
        try:
            return load_config()
        except DejavuError as error:
            self.note(str(error))
            return Config()

    def _poll_status(self, now: float) -> None:
        """Pass on what hooks have said of the state since the last poll."""
        if self._status_reader is None or now < self._next_poll:
            return
        self._next_poll = now + _STATUS_POLL
        try:
            signal = self._status_reader.poll(now)
        except Exception as error:  # the file is written by another program
            self.faults.record("the status of hooks", error)
            return
        if signal is not None and self._screen is not None:
            self._screen.follow(lambda reader: reader.signal(*signal))


def _settled(session: ObservedSession, config: Config) -> ObservedSession:
    """Return a session with its machine, and whether its screen may be kept."""
    header = session.header
    screen = session.screen
    if screen is None:
        screen = config.screen_allowed(header.workspace)
    instance = header.instance or own_instance(config)
    header = header._replace(instance=instance, screen=bool(screen))
    return session._replace(header=header, screen=screen)
