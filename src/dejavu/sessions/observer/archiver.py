"""A session's way into the archive: its log, its stream, its hooks' conversation, else its screen.

`look` is done now and then while the session runs, `finish` at its end. Structured sources come
first (see `capture_policy`); a stream is written only while no session log has the session. The
archive is opened for each look that has found something and closed again, so that no other process waits for
this process.

Tested in: tests/sessions/observer/test_observer.py
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.paths import user_home
from dejavu.model import Conversation, DejavuError, NotFoundError, Role
from dejavu.providers import Home
from dejavu.scrapers import SessionReader

from .capture_policy import SHORT, CapturePolicy, CaptureResult, screen_conversation
from .observed_session import FaultLog, ObservedSession, StatusReader
from .reading_check import ReadingCheck
from .session_log_follower import SessionLogFollower, main_of
from .status_publisher import ConversationFacts
from .stream import StreamFollower, main_conversation

_EVERY = 15.0
"""Seconds between two times that a screen's turns are made durable while the session runs."""

_RETRY = 5.0
"""Seconds until a look that failed is tried again."""

_TRAILING = 4.0
"""Seconds without output after which nothing more is looked for: agents draw the end of a turn, and
write it to their log some time later, when nothing is drawn any more."""

_SOON = 0.3
"""Of the usual pause, the share until the look that follows the one at a turn's end."""


class SessionArchiver:
    """Archives one session. `screen`: whether what its screen shows may be archived, redacted.

    `on_conversation` takes the id of the conversation that the session is, once there is one, and
    its facts at each look that found something;
    `environment` is the agent's. `share`: sessions that this process archives.
    """

    def __init__(
        self,
        session: ObservedSession,
        hooks: StatusReader | None,
        faults: FaultLog,
        redact: Callable[[str], str],
        on_conversation: Callable[[str, dict[str, Any]], None],
        check: ReadingCheck,
        *,
        screen: bool,
        environment: Mapping[str, str],
    ) -> None:
        header, folder = session.header, session.folder
        home = Home(Path(environment.get("HOME") or user_home()), environment, header.instance)
        self._hooks, self._faults, self._screen = hooks, faults, screen
        self._on_conversation, self._check = on_conversation, check
        self._facts = ConversationFacts(redact)
        self._started_at = header.started_at
        self._log = SessionLogFollower(header.agent, header.workspace, header.started_at, home)
        self.share = 1
        self._stream = None if session.has_terminal else StreamFollower(session.kept_as, folder)
        self._policy = CapturePolicy(
            screen_conversation(session.kept_as),
            screen=screen,
            redact=redact,
            agent=header.agent,
            folder=folder,
        )
        self._next_look, self._next_write = header.started_at + 1.0, header.started_at + _EVERY
        self._retry_at = 0.0
        self._has_news, self._news_at = False, header.started_at
        self._hurries = False
        self._follows = True

    @property
    def due(self) -> float | None:
        """Unix seconds of the next look wanted; None while nothing has happened."""
        return min(self._next_look, self._next_write) if self._has_news else None

    def output(self, data: bytes, at: float) -> None:
        """The agent wrote something; where it has no terminal it may be a stream."""
        self._has_news, self._news_at = True, max(at, self._news_at)
        if self._stream is not None:
            try:
                self._stream.feed(data, at)
            except Exception as error:  # a parser's fault must not end the other duties
                self._faults.record("the stream", error)

    def hurry(self, *, follow: bool = True) -> None:
        """A turn has ended, most likely: now is the time to make it durable.

        `follow`: read the agent's own log, too.
        """
        self._has_news, self._next_look, self._next_write = True, 0.0, 0.0
        self._hurries, self._follows = True, follow

    def tick(self, now: float, reader: SessionReader | None) -> bool:
        """Look, if it is time, and return whether it was; a look that fails is tried again."""
        if reader is not None:
            self._check.sample(reader)
            if reader.has_settled:
                self._settle(reader)
        if not self._has_news or now < self._retry_at:
            return False
        full = self._stream is not None and self._stream.is_full
        if not full and now < min(self._next_look, self._next_write):
            return False
        try:
            self._look(now, reader, write=full or now >= self._next_write)
        except (DejavuError, OSError) as error:
            self._faults.note(f"capture waits: {error}")
        except Exception as error:
            self._faults.record("capture", error)
        else:
            return True
        self._next_look = self._next_write = self._retry_at = now + _RETRY
        self._has_news = True
        return True

    def _look(self, now: float, reader: SessionReader | None, *, write: bool) -> None:
        """Archive what the agent's own log has by now, or else its stream or its screen."""
        hurries, self._hurries = self._hurries, False
        if hurries:
            self._news_at = max(now, self._news_at)
        self._log.share = self.share
        if self._log.has_provider and self._follows:
            self._look_at_log(reader)
        self._has_news = self._log.has_provider and now < self._news_at + _TRAILING
        self._next_look = now + self._log.pause * (_SOON if hurries else 1)
        if not write:
            return
        self._next_write = now + _EVERY
        if self._stream is not None and self._stream.waiting:
            with open_archive(write=True) as archive:
                if not self._log.conversations(archive):
                    self._stream.commit(archive)
                    self._publish(archive, self._stream.conversation)
        if reader is not None:
            self._write_screen(reader, now)

    def _look_at_log(self, reader: SessionReader | None) -> None:
        """Archive what is new of the agent's own log."""
        hooked = self._hooks is not None and self._hooks.conversation() is not None
        changed = self._log.changed()
        if changed == [] and not hooked:
            self._check.look(None, (), reader)
            return
        with open_archive(write=True) as archive:
            natives: list[Conversation] = []
            if self._log.look(archive, changed):
                natives = self._log.conversations(archive) or self._hook_conversation(archive)
                self._publish(archive, main_of(natives).id if natives else None)
            elif conversations := self._hook_conversation(archive):
                self._publish(archive, conversations[0].id)
            self._check.look(archive, natives, reader)
        for name, reason in self._log.unreadable:
            self._faults.is_first(f"{name}: {reason}")

    def _write_screen(self, reader: SessionReader, now: float) -> None:
        turns, self._policy.low = reader.turns, self._check.low
        if not self._screen:
            # All that matters is whether there was a prompt, and that in a short session only.
            self._policy.prompted |= any(turn.role is Role.USER for turn in turns)
            wanted = self._log.report.conversations and self._check.wants_turns
            if not wanted and (self._policy.prompted or now - self._started_at >= SHORT):
                reader.drop_transcript()
            return
        if turns and turns[0].seq + len(turns) <= self._policy.written:
            return
        with open_archive(write=True) as archive:
            hooked = self._hook_conversation(archive)
            if self._log.report.conversations or hooked:
                self._policy.defer(archive, self._log.conversations(archive) or hooked)
            else:
                self._policy.write(archive, turns)
                self._publish(archive, self._policy.conversation if self._policy.written else None)

    def _settle(self, reader: SessionReader) -> None:
        """Take the turns that cannot change any more; what is not wanted is not read on."""
        turns, self._policy.low = self._check.release(reader), self._check.low
        if self._screen:
            self._policy.settle(turns)
        elif not (self._log.report.conversations and self._check.wants_turns):
            self._policy.prompted |= bool(turns)
            reader.drop_transcript()

    def _publish(self, archive: Archive, conversation: str | None) -> None:
        if conversation is not None:
            self._on_conversation(conversation, self._facts.read(archive, conversation))

    def finish(
        self, now: float, reader: SessionReader | None, note: Callable[[str], None]
    ) -> CaptureResult:
        """The last look at a session that is over, and what was kept of it.

        Raises:
            ArchiveError: it could not be stored (locked, full, damaged).
        """
        with open_archive(write=True) as archive:
            result = self._finish(archive, now, reader, note)
            self._publish(archive, result.conversation)
            return result

    def _finish(
        self,
        archive: Archive,
        now: float,
        reader: SessionReader | None,
        note: Callable[[str], None],
    ) -> CaptureResult:
        """What was kept, as `finish` says."""
        self._log.look(archive)
        for name, reason in self._log.unreadable:
            note(f"{name} could not be read: {reason}")
        natives = self._log.conversations(archive)
        if self._stream is not None and (not natives or self._stream.is_written):
            result = self._finish_stream(archive, self._stream, note)
            if result is not None and not natives:
                return result
        elif self._stream is not None:
            self._stream.close()  # the agent's own log has all of it
        if not natives:
            natives = self._hook_conversation(archive)
        self._check.look(archive, natives, reader, final=True)
        self._policy.low = self._check.low
        if reader is not None:
            self._policy.settle(reader.release())
        turns = () if reader is None else reader.turns
        self._policy.prompted |= any(turn.role is Role.USER for turn in turns)
        return self._policy.finish(archive, natives, turns, now)

    def _finish_stream(
        self, archive: Archive, stream: StreamFollower, note: Callable[[str], None]
    ) -> CaptureResult | None:
        """Store what stdout was, next to other vectors' turns; None if it held no turn."""
        report = stream.finish(archive)
        if report is None:
            return None
        for _, reason in report.unreadable:
            note(f"the stream was kept, but not understood: {reason}")
        main = main_conversation(archive, report)
        return None if main is None else CaptureResult("stream", main.id, main.turn_count)

    def _hook_conversation(self, archive: Archive) -> list[Conversation]:
        """The conversation that hooks told of this session, where the agent's own log fails."""
        conversation = None if self._hooks is None else self._hooks.conversation()
        try:
            return [] if conversation is None else [archive.summary(conversation)]
        except NotFoundError:
            return []
