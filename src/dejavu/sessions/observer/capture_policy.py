"""What of a session goes into the archive, and by which vector.

Structured sources (session log, stream, hooks) come first; the screen is kept only where the
operator agreed, only what no structured source has, and only redacted. Nothing else is ever written
of a screen.

Turns of the screen that cannot change any more are taken once, as they come, and redacted. They go
into a conversation of the session's own, or, where a structured source has the session, what that
one lacks waits in a `TurnSpool` for its end: in memory, and past `LIMIT` bytes in a file that has no
name and goes with its process. So memory and the cost of a call are O(turns given to it), but where
a conversation of a structured source is completed (see `screen_merge`).
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO

import msgspec

from dejavu.archive import Archive
from dejavu.archive.records import from_text, to_text
from dejavu.config.paths import archive_shown, private_folder, state_home
from dejavu.ingest.ingestor import Ingestor
from dejavu.ingest.merge.merge_turns import normalise
from dejavu.model import (
    LOW_READING,
    Conversation,
    NotFoundError,
    Role,
    Turn,
    TurnUpdate,
    conversation_id,
)
from dejavu.redact.conversation import redact_turn

from ..session_store import SessionHeader
from .screen_merge import merge_screen, only_shown
from .session_log_follower import main_of

SHORT = 10.0
"""Seconds: for a shorter session without a prompt there is no note that nothing was kept."""

_BATCH = 4000
"""Settled turns that are archived together; more wait only where the archive was not to be had."""


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What was kept: by which way, in which conversation, and a sentence if nothing was."""

    kept: str
    conversation: str | None = None
    turns: int = 0
    note: str = ""


class CapturePolicy:
    """Decides for one session.

    `prompted`: whether a prompt was seen on the screen, be it kept or not. `folder` is where the
    spool may make its file.
    """

    def __init__(
        self,
        base: Conversation,
        *,
        screen: bool,
        redact: Callable[[str], str],
        agent: str,
        folder: Path | None,
    ) -> None:
        self._base, self._screen, self._redact, self._agent = base, screen, redact, agent
        self._fresh, self._deferred = TurnSpool(folder), TurnSpool(folder)
        self._settled = 0  # turns of the screen's own conversation that are not given again
        self._provisional: tuple[Turn, ...] = ()  # what was written behind them
        self._compared = 0  # the turn of the structured source that comparing begins at
        self.prompted = False
        self.low = False
        """Whether this screen is read badly: its turns say so."""
        self.conversation = base.id

    @property
    def written(self) -> int:
        """Turns in the screen's own conversation."""
        return self._settled + len(self._provisional)

    def settle(self, turns: Sequence[Turn]) -> None:
        """Take turns of the screen that will not be given again; they are not archived yet."""
        if not self._screen or not turns:
            return
        if turns[0].seq == 0:  # all before these were not the session's
            self._settled, self._provisional = 0, ()
            self._fresh.clear()
            self._deferred.clear()
        self._fresh.add(self._prepared(turn) for turn in turns)
        self.prompted |= any(turn.role is Role.USER for turn in turns)

    def defer(self, archive: Archive, natives: Sequence[Conversation]) -> None:
        """Hold back what was settled, for a structured source has the session.

        Only what it lacks is held; `natives` are its conversations so far.
        """
        settled = iter(self._fresh)
        while batch := list(islice(settled, _BATCH)):
            if natives:
                main = main_of(natives)
                batch, self._compared = only_shown(archive, main, batch, self._key, self._compared)
            self._deferred.add(batch)
        self._fresh.clear()

    def write(self, archive: Archive, provisional: Sequence[Turn]) -> None:
        """Archive what was settled, and the turns behind it that may change; idempotent.

        For a session that no structured source has.

        Raises:
            ArchiveError: it could not be stored.
        """
        self.prompted |= any(turn.role is Role.USER for turn in provisional)
        if not self._screen or not self.prompted:
            return
        redacted = tuple(self._prepared(turn) for turn in provisional)
        # What only repeats the beginning (a screen just cleared) takes nothing away.
        waits = self._deferred.count or self._fresh.count
        if not waits and self._provisional[: len(redacted)] == redacted:
            return
        ingestor, start = Ingestor(archive), self._settled
        settled = chain(self._deferred, self._fresh)
        batch = list(islice(settled, _BATCH))
        while following := list(islice(settled, _BATCH)):
            ingestor.commit_turns(TurnUpdate(self._base, start, batch))
            start += len(batch)
            batch = following
        ingestor.commit_turns(TurnUpdate(self._base, start, [*batch, *redacted]))
        self._settled, self._provisional = start + len(batch), redacted
        self._fresh.clear()
        self._deferred.clear()

    def finish(
        self,
        archive: Archive,
        natives: Sequence[Conversation],
        provisional: Sequence[Turn],
        now: float,
    ) -> CaptureResult:
        """Archive what is to be kept of a session that is over, and all of which was settled.

        Raises:
            ArchiveError: it could not be stored.
        """
        if natives:
            self.defer(archive, natives)
            return self._complete(archive, main_of(natives), provisional if self._screen else ())
        self.write(archive, provisional)
        if self.written:
            return CaptureResult("screen", self._base.id, self.written)
        if not self.prompted and self._is_short(now):
            return CaptureResult("none")
        if self._screen:
            return CaptureResult("none", note="no turn was seen on the screen, so nothing was kept")
        return CaptureResult(
            "none",
            note=f"nothing was kept: {self._agent} left no session file that Déjà Vu can read; "
            "`dejavu-run --screen` keeps what the screen showed, redacted",
        )

    def _is_short(self, now: float) -> bool:
        """Whether it may well have been `agent --version`, which is not expected to be kept."""
        return self._base.started_at is not None and now - self._base.started_at < SHORT

    def _complete(
        self, archive: Archive, main: Conversation, provisional: Sequence[Turn]
    ) -> CaptureResult:
        """The agent's own conversation, completed from the screen where it ends too early."""
        vector = str(main.vectors[0]) if main.vectors else "native"
        result = CaptureResult(vector, main.id, main.turn_count)
        shown = [self._prepared(turn) for turn in provisional]
        ingestor = Ingestor(archive)
        with ingestor.lock:  # an import would move on from what is read here
            earlier = [*self._written_before(archive), *self._deferred]
            if shown or earlier:
                start, merged, added = merge_screen(
                    archive, main, shown, self._key, earlier=earlier
                )
                if added:
                    ingestor.commit_turns(TurnUpdate(main, start, merged))
                    result = CaptureResult(f"{vector}+screen", main.id, start + len(merged))
        if self.written:  # the source came late: what the screen gave meanwhile is superseded
            archive.maintenance.discard(self._base.id)
        self._deferred.clear()
        return result

    def _written_before(self, archive: Archive) -> list[Turn]:
        """What was settled in the screen's own conversation before a structured source came."""
        try:
            return list(archive.turns(self._base.id, 0, self._settled)) if self._settled else []
        except NotFoundError:
            return []

    def _prepared(self, turn: Turn) -> Turn:
        """Return a turn as it may be archived."""
        turn = redact_turn(turn, self._redact, forms=False)
        if not self.low:
            return turn
        return msgspec.structs.replace(turn, meta={**turn.meta, LOW_READING: True})

    def _key(self, text: str) -> str:
        """What is compared of a text; the screen's side is redacted, so both are."""
        return normalise(self._redact(text))


def screen_conversation(header: SessionHeader) -> Conversation:
    """The conversation a session becomes when only its screen was seen."""
    native_id = f"session:{header.id}"
    return Conversation(
        id=conversation_id(header.agent, header.instance, native_id),
        workspace=header.workspace,
        instance=header.instance,
        agent=header.agent,
        native_id=native_id,
        started_at=header.started_at,
        source=f"dejavu-run session {header.id}",
    )


_NOTICE_GIVEN = "screen-notice"


def first_screen_notice(agent: str) -> str:
    """What is said once, the first time that screen text is kept; empty if it was said before."""
    if agent == "demo":
        return f"this scripted session was kept in {archive_shown()}: try `dejavu show last`"
    mark = private_folder(state_home()) / _NOTICE_GIVEN
    try:
        mark.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        return ""
    return (
        f"the screen's text was kept, secrets replaced, in {archive_shown()}; "
        "only the demo, --screen and [capture] in config.toml do that, and "
        "`dejavu delete last` takes it out again (said once)"
    )


LIMIT = 1 << 20
"""Bytes held in memory."""


class TurnSpool:
    """The turns that were added, in order; its file is made in `folder` (default: the system's)."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._written = 0
        self._records: list[bytes] = []
        self._size = 0
        self.count = 0

    def add(self, turns: Iterable[Turn]) -> None:
        """Append turns."""
        for turn in turns:
            record = to_text(turn)
            self._records.append(record)
            self._size += len(record)
            self.count += 1
        if self._size > LIMIT:
            self._write()

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - see `clear`
            self._file.seek(self._written)
            for record in self._records:
                self._file.write(len(record).to_bytes(4, "big") + record)
            self._file.flush()
        except OSError:
            return  # what was written of them is behind the file's end, as we count it
        self._written = self._file.seek(0, os.SEEK_CUR)
        self._records, self._size = [], 0

    def __iter__(self) -> Iterator[Turn]:
        if self._file is not None:
            self._file.seek(0)
            while self._file.tell() < self._written:
                size = int.from_bytes(self._file.read(4), "big")
                yield from_text(self._file.read(size), Turn)
        for record in self._records:
            yield from_text(record, Turn)

    def clear(self) -> None:
        """Drop all turns."""
        if self._file is not None:
            self._file.close()
        self._file, self._written = None, 0
        self._records, self._size, self.count = [], 0, 0
