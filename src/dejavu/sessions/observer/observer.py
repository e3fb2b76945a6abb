"""What the observer does with each event of a session.

Writes status files and archived turns, and returns the final report. Sans-loop: `__main__` owns the
descriptors and the waiting. Errors in one duty (status, native files, screen) never stop the
others: they become notes.
"""

import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.capsule import Event, Exit, Gap, Header, Output, Resize
from dejavu.config.instance import own_instance
from dejavu.config.redaction_key import redaction_key
from dejavu.config.settings import Config, load_config
from dejavu.model import Conversation, DejavuError, NotFoundError
from dejavu.providers import Home
from dejavu.redact import Redactor, secret_values
from dejavu.scrapers import SessionReader, StatusChange

from .. import session_store as sessions
from .agent_server import ServerFollower
from .capture_policy import CapturePolicy, CaptureResult, screen_conversation
from .consent_notice import first_screen_notice
from .cpu_activity import CpuActivity
from .hook_status_reader import StatusReader
from .pack_reloader import PackReloader
from .screen_server import picture
from .session_log_follower import NativeFollower, main_of
from .status_publisher import StatusPublisher
from .stream import StreamFollower, main_conversation

_SCREEN_EVERY = 15.0
"""Seconds between two times that a screen's turns are made durable while the session runs."""

_STATUS_POLL = 0.25
"""Seconds between two looks at what hooks say, once they have said anything."""

_RETRY = 5.0
"""Seconds until a duty that failed is tried again."""

_PASTE = 2004
"""DEC private mode: bracketed paste."""


class SessionObserver:
    """One session, from its header to its exit."""

    def __init__(self) -> None:
        self.header: dict[str, Any] = {}
        self._publisher = StatusPublisher()
        self.notes = self._publisher.notes
        self.note = self._publisher.note
        self.failures = Counter[str]()
        self._config = Config()
        self._reader: SessionReader | None = None
        self._native: NativeFollower | None = None
        self._stream: StreamFollower | None = None
        self._rules: PackReloader | None = None
        self._cpu_activity: CpuActivity | None = None
        self._status_reader: StatusReader | None = None
        self._server: ServerFollower | None = None
        self._next_poll = 0.0
        self._policy: CapturePolicy | None = None
        self._redactor: Redactor | None = None
        self._next_look = 0.0
        self._next_keep = 0.0
        self._busy = False
        self._kept_turns = 0
        self._exit_status: int | None = None

    # -- events

    def event(self, event: Event) -> None:
        """Take one event."""
        match event:
            case Header(fields):
                self._begin(dict(fields))
            case Output(at, data):
                self._busy = True
                if self._stream is not None:
                    self._feed_stream(self._stream, data, at)
                self._read(lambda reader: reader.output(data, at))
                self._set_paste()
            case Resize(at, columns, lines):
                self._read(lambda reader: reader.resize(columns, lines, at))
            case Gap(at, lost):
                self.note(f"{lost} bytes of output came too fast and were not seen")
                self._read(lambda reader: reader.gap(lost, at))
            case Exit(at, status):
                self._exit_status = status
                self._read(lambda reader: reader.exit(status, at))
            case _:
                pass

    @property
    def due(self) -> float | None:
        """Unix seconds of the next tick wanted; None: only events matter."""
        moments = [self._reader.due if self._reader else None]
        moments.append(self._publisher.due)
        if self._native is not None and self._native.known:
            moments.append(self._next_look if self._busy else None)
        if self._policy is not None:
            moments.append(self._next_keep if self._busy else None)
        if self._status_reader is not None and self._status_reader.has_data:
            moments.append(self._next_poll)
        return min((moment for moment in moments if moment is not None), default=None)

    def tick(self, now: float) -> None:
        """Do what has become due."""
        reader = self._reader
        self._poll_status(now)
        if reader is not None and self._cpu_activity is not None and reader.state == "unknown":
            reader.process_activity(self._cpu_activity.is_busy())
        if reader is not None and reader.due is not None and now >= reader.due:
            self._read(lambda it: it.tick(now))
        self._publisher.tick(now)
        if self._busy and now >= min(self._next_look, self._next_keep):
            self._guarded(self._look, now)

    def finish(self) -> dict[str, Any]:
        """The session is over, or its wrapper is gone: archive, and say what was kept."""
        result = CaptureResult("none")
        if self._server is not None:
            self._server.end()
        if self._publisher.folder is not None:
            try:
                result = self._settle(time.time())
            except (DejavuError, OSError) as error:
                self.note(f"capture failed: {error}")
            except Exception:  # a fault of ours: logged, and told in one line
                traceback.print_exc()
                self.note("capture failed by a fault of ours; `dejavu doctor` shows the log")
        if result.note:
            self.note(result.note)
        if "screen" in result.kept and (notice := first_screen_notice()):
            self.note(notice)
        self._publisher.set(
            state="exited",
            exit_status=self._exit_status,
            conversation=result.conversation,
            kept=result.kept,
        )
        sessions.tidy()
        return {"kept": result.kept, "conversation": result.conversation, "notes": self.notes}

    def close(self) -> None:
        """Behind the last word, when nobody waits any more: let the operator's command end."""
        self._publisher.close()

    def glimpse(self) -> dict[str, Any]:
        """The screen as it stands, redacted (see `glimpse`)."""
        if self._reader is None or self._redactor is None:
            return {"error": "its agent has no screen that is read"}
        agent, state = self._reader.agent, str(self._reader.state)
        shown = picture(self._reader.terminal.snapshot(), self._redactor)
        return {"agent": agent, "state": state, "rule": self._publisher.status.rule, **shown}

    # -- duties

    def _begin(self, header: dict[str, Any]) -> None:
        self.header = header
        self._publisher.open(header)
        try:
            self._config = load_config()
        except DejavuError as error:
            self.note(str(error))
        agent, workspace = str(header["agent"]), str(header["workspace"])
        header["instance"] = header.get("instance") or own_instance(self._config)
        if header.get("screen") is None:
            header["screen"] = self._config.screen_allowed(workspace)
        started = float(header["started_at"])
        self._next_look, self._next_keep = started + 1.0, started + _SCREEN_EVERY
        self._native = NativeFollower(agent, workspace, started, Home.own(header["instance"]))
        self._redactor = redactor = Redactor(redaction_key(), secret_values(os.environ))
        self._publisher.redact = redactor.redact
        if self._config.hooks.on_change:
            self._publisher.call(self._config.hooks.on_change)
        self._policy = CapturePolicy(
            screen_conversation(header),
            screen=bool(header["screen"]),
            redact=redactor.redact,
            agent=agent,
        )
        if self._publisher.folder is not None:
            self._status_reader = StatusReader(self._publisher.folder)
            self._server = ServerFollower(header)
            self._status_reader.has_data = self._server.runs  # it speaks where nothing is drawn
        if header.get("mode") == "direct":
            self._stream = StreamFollower(header)
        else:
            # Some terminals say 0 for a size they do not know.
            self._open_reader(agent, int(header["columns"]) or 80, int(header["lines"]) or 24)
        self._publisher.set(state="unknown", detail="nothing was drawn yet")
        self._publisher.set_session(
            instance=header["instance"], screen=bool(header["screen"]), agent_pid=header.get("pid")
        )

    def _open_reader(self, agent: str, columns: int, lines: int) -> None:
        self._rules = PackReloader(self.note)
        self._reader = SessionReader(
            agent,
            columns,
            lines,
            packs=self._rules.packs,
            mask=self._redactor,
        )
        self._cpu_activity = CpuActivity(int(self.header.get("pid") or 0))

    def _read(self, act: Callable[[SessionReader], tuple[StatusChange, ...]]) -> None:
        """Let the reader act, and tell what changed; a reader that fails is put away."""
        if self._reader is None:
            return
        try:
            changes = act(self._reader)
        except Exception:  # the screen is one duty of several
            traceback.print_exc()
            self.note("the screen could not be read on; status is unknown from here")
            self._reader = None
            self._publisher.set(state="unknown", detail="the reader failed")
            return
        told = self._situation(self._reader)
        if changes:
            self._publisher.follow(changes, self._exit_status, told)
        elif told:
            self._publisher.set(**told)
        if changes:
            self._set_paste()
            if changes[-1].state in ("idle", "blocked"):
                # A turn has ended, most likely: now is the time to make it durable.
                self._busy, self._next_look, self._next_keep = True, 0.0, 0.0

    def _situation(self, reader: SessionReader) -> dict[str, Any]:
        """What the agent waits for and what runs behind it, where that has changed."""
        try:
            return self._publisher.changed_situation(reader.situation, reader.agreement)
        except Exception as error:  # the state is known all the same
            self._record_fault("what is asked", error)
            return {}

    def _poll_status(self, now: float) -> None:
        """Pass on what hooks have said of the state since the last poll."""
        self._next_poll = now + _STATUS_POLL
        if self._status_reader is None:
            return
        try:
            signal = self._status_reader.poll(now)
        except Exception as error:  # the file is written by another program
            self._record_fault("the status of hooks", error)
            return
        if signal is not None:
            self._read(lambda reader: reader.signal(*signal))

    def _feed_stream(self, stream: StreamFollower, data: bytes, at: float) -> None:
        try:
            stream.feed(data, at)
        except Exception as error:  # a parser's fault must not end the other duties
            self._record_fault("the stream", error)

    def _set_paste(self) -> None:
        """Tell whether the agent wants pastes bracketed, where that has changed."""
        if self._reader is not None:
            bracketed = self._reader.terminal.private_mode(_PASTE)
            if bracketed != self._publisher.status.bracketed_paste:
                self._publisher.set(bracketed_paste=bracketed)

    def _look(self, now: float) -> None:
        """Archive what the agent's own trace has by now; and the screen's turns, if it has none."""
        native, policy = self._native, self._policy
        assert native is not None and policy is not None  # noqa: S101, PT018 - set by the header
        self._busy = False
        if (
            self._rules is not None
            and self._reader is not None
            and (packs := self._rules.changed())
        ):
            self._reader.set_packs(packs)
        if native.known:
            with open_archive(write=True) as archive:
                if native.look(archive):
                    found = native.conversations(archive) or self._hook_conversation(archive)
                    self._publish_conversation(main_of(found).id if found else None)
            for name, reason in native.unreadable:
                self._is_first(f"{name}: {reason}")
        self._next_look = now + native.pause
        if now < self._next_keep:
            return
        self._next_keep = now + _SCREEN_EVERY
        turns = self._reader.turns if self._reader is not None else ()
        if (
            self.header["screen"]
            and not native.report.conversations
            and len(turns) > self._kept_turns
        ):
            with open_archive(write=True) as archive:
                if not self._hook_conversation(archive):
                    result = policy.keep(archive, [], turns, now)
                    self._kept_turns = len(turns)
                    self._publish_conversation(result.conversation)

    def _publish_conversation(self, conversation: str | None) -> None:
        """Tell which conversation of the archive this session is, as soon as there is one."""
        if conversation is not None and conversation != self._publisher.status.conversation:
            self._publisher.set(conversation=conversation)

    def _settle(self, now: float) -> CaptureResult:
        """The last look, and the gate's result."""
        native, policy = self._native, self._policy
        if native is None or policy is None:
            return CaptureResult("none")
        with open_archive(write=True) as archive:
            native.look(archive)
            for name, reason in native.unreadable:
                self.note(f"{name} could not be read: {reason}")
            natives = native.conversations(archive)
            if not natives and self._stream is not None:
                result = self._commit_stream(archive, self._stream)
                if result is not None:
                    return result
            if not natives:
                natives = self._hook_conversation(archive)
            turns = self._reader.turns if self._reader is not None else ()
            self._drop_provisional(archive, bool(natives))
            return policy.keep(archive, natives, turns, now)

    def _commit_stream(self, archive: Archive, stream: StreamFollower) -> CaptureResult | None:
        """Store what stdout was, beside other vectors' turns; None if it held no turn."""
        report = stream.commit(archive)
        if report is None:
            return None
        for _, reason in report.unreadable:
            self.note(f"the stream was kept, but not understood: {reason}")
        main = main_conversation(archive, report)
        return None if main is None else CaptureResult("stream", main.id, main.turn_count)

    def _hook_conversation(self, archive: Archive) -> list[Conversation]:
        """The conversation that hooks told of this session, where the agent's own trace fails."""
        told = self._status_reader.conversation() if self._status_reader is not None else None
        try:
            return [] if told is None else [archive.summary(told)]
        except NotFoundError:
            return []

    def _drop_provisional(self, archive: Archive, structured: bool) -> None:
        """The agent's own trace came late: what the screen gave meanwhile is superseded."""
        if structured and self._kept_turns:
            archive.discard(screen_conversation(self.header).id)
            self._kept_turns = 0

    def _guarded(self, duty: Callable[[float], None], now: float) -> None:
        """Do a duty; whatever it raises is a note, and it is tried again after a while."""
        try:
            duty(now)
        except (DejavuError, OSError) as error:
            self.note(f"capture waits: {error}")
        except Exception as error:
            self._record_fault("capture", error)
        else:
            return
        self._next_look = self._next_keep = now + _RETRY
        self._busy = True

    def _record_fault(self, duty: str, error: Exception) -> None:
        """Note an unexpected error; the first of its kind is logged with its trace."""
        kind = f"{duty} failed: {type(error).__name__}"
        if self._is_first(kind):
            traceback.print_exception(error)
            self.note(f"{kind}; `dejavu doctor` shows the log")

    def _is_first(self, failure: str) -> bool:
        """Count a failure; one that is new is logged."""
        self.failures[failure] += 1
        if self.failures[failure] == 1:
            print(time.strftime("%F %T"), self.header.get("id", "-"), failure, file=sys.stderr)
        return self.failures[failure] == 1
