"""The screen of one session: its reader, the rule packs it is read by, what it says of the state.

Publishes every change of state; takes down what a reader that fails leaves. Cost: the reader's.
`CpuActivity` says whether the agent is at work by the CPU time of its processes. It is a tie-break
only, asked where the screen says nothing. O(processes of the agent), at most 200; without `/proc`
(macOS) one run of `ps`.

Tested in: tests/sessions/observer/test_observer.py
"""

import os
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dejavu.redact import Redactor
from dejavu.scrapers import SessionReader, Situation, StatusChange
from dejavu.scrapers.state import Disagreement

from .. import report_faults
from ..process_table import below, process_rows
from ..user_packs import PackReloader
from .observed_session import FaultLog, ObservedSession
from .reading_check import ReadingCheck
from .screen_server import field, picture
from .status_publisher import StatusPublisher

HISTORY = 2000
"""Lines that the observer's terminal remembers: what a resize may bring back into view."""

_PASTE = 2004  # DEC private mode: bracketed paste
_DECCKM = 1  # DEC private mode: cursor keys as SS3
_DRAFT = 2.0  # seconds between two looks at the text field


class ScreenFollower:
    """Follows what an agent draws. `reader` is None once it has failed.

    `on_turn_end` is called when the state says that a turn has ended, most likely.
    """

    def __init__(
        self,
        session: ObservedSession,
        publisher: StatusPublisher,
        redactor: Redactor,
        faults: FaultLog,
        on_turn_end: Callable[[], None],
    ) -> None:
        self._publisher, self._redactor, self._on_turn_end = publisher, redactor, on_turn_end
        self._faults = faults
        self._keeps_screen, self._draft_at = session.header.screen, 0.0
        self._packs = PackReloader(publisher.note)
        self._cpu = CpuActivity(session.agent_pid or 0)
        self._exit_status: int | None = None
        self._situation: Situation | None = None
        self._disagreement: Disagreement | None = None
        self.reader: SessionReader | None = SessionReader(
            session.header.agent,
            session.columns or 80,  # some terminals say 0 for a size they do not know
            session.lines or 24,
            history=HISTORY,
            packs=self._packs.packs,
            mask=redactor,
            styled=session.has_styles,
        )

        if self._keeps_screen:
            self._give_arguments(self.reader, session)

    @property
    def due(self) -> float | None:
        """Unix seconds of the next tick wanted."""
        return None if self.reader is None else self.reader.due

    @property
    def is_quiet(self) -> bool:
        """Whether hardly anything moved on the screen when it was last read."""
        return self.reader is None or self.reader.is_quiet

    def output(self, data: bytes, at: float) -> None:
        """The agent wrote bytes."""
        self.follow(lambda reader: reader.output(data, at))
        self._publish_paste_mode()

    def keys(self, data: bytes, at: float) -> None:
        """Bytes were typed; empty: some were not seen. Nothing of them is used without the screen."""
        if self._keeps_screen:
            self.follow(lambda reader: reader.keys(data, at))

    @staticmethod
    def _give_arguments(reader: SessionReader, session: ObservedSession) -> None:
        """Tell the reader what may be the first prompt: the arguments of several words."""
        now = time.time()
        for argument in session.header.argv[1:]:
            if len(argument.split()) > 1:
                reader.give(argument, now)
        if session.resumed:
            reader.keys(b"", now)  # what was typed before is not told again

    def exit(self, status: int | None, at: float) -> None:
        """The agent has ended."""
        self._exit_status = status
        self.follow(lambda reader: reader.exit(status, at))

    def tick(self, now: float) -> None:
        """Do what has become due."""
        reader = self.reader
        if reader is None:
            return
        if reader.asks_process:
            busy = self._cpu.is_busy()
            self.follow(lambda it: it.process_activity(busy, now))
        if reader.due is not None and now >= reader.due:
            self.follow(lambda it: it.tick(now))

    def follow(self, act: Callable[[SessionReader], tuple[StatusChange, ...]]) -> None:
        """Let the reader act, and publish what changed; a reader that fails is put away."""
        if self.reader is None:
            return
        try:
            changes = act(self.reader)
        except Exception:  # the screen is one duty of several
            traceback.print_exc()
            self._publisher.note("the screen could not be read on; status is unknown from here")
            self.reader = None
            self._publisher.set(state="unknown", detail="the reader failed")
            return
        situation = {
            **self._changed_situation(self.reader),
            **self._changed_disagreement(self.reader),
        }
        situation |= self._changed_draft(self.reader)
        if not changes:
            if situation:
                self._publisher.set(**situation)
        else:
            self._publisher.follow(changes, self._exit_status, situation)
            self._publish_paste_mode()
            if changes[-1].state in ("idle", "blocked"):
                self._on_turn_end()

    def _changed_situation(self, reader: SessionReader) -> dict[str, Any]:
        """What the agent waits for and what runs behind it, where that has changed."""
        try:
            situation = reader.situation
            if situation is self._situation:
                return {}
            self._situation = situation
            return self._publisher.changed_situation(situation, reader.agreement)
        except Exception as error:  # the state is known all the same
            self._faults.record("what is asked", error)
            return {}

    def _changed_disagreement(self, reader: SessionReader) -> dict[str, Any]:
        """Where report and screen have come to differ, or differ no more; each is counted once."""
        found = reader.disagreement
        if found == self._disagreement:
            return {}
        before, self._disagreement = self._disagreement, found
        if found is not None and (before is None or before.since != found.since):
            version = str((self._publisher.status.facts or {}).get("version") or "")
            try:
                report_faults.add(reader.agent, version, found, time.time())
            except OSError as error:
                self._faults.record("a report that the screen denies", error)
        return {"disagreement": None if found is None else asdict(found)}

    def _changed_draft(self, reader: SessionReader) -> dict[str, Any]:
        """What is in the text field where that has changed, looked at every `_DRAFT` seconds."""
        now = time.monotonic()
        if not self._keeps_screen or now < self._draft_at:
            return {}
        self._draft_at = now + _DRAFT
        columns = reader.terminal.columns
        found = field(reader.composer, columns, self._redactor) or {"rows": []}
        draft = "\n".join(found["rows"]).strip()
        return {} if draft == self._publisher.status.draft else {"draft": draft}

    def follow_check(self, check: ReadingCheck) -> None:
        """Let the self-check begin: what it knows of the agent's version may be bad."""
        if self.reader is not None:
            check.begin(self.reader)

    def reload_packs(self) -> None:
        """Read by newer rule packs from here on, if there are any."""
        if self.reader is not None and (packs := self._packs.changed()):
            self.reader.set_packs(packs)

    def picture(self) -> dict[str, Any]:
        """The screen as it is, redacted."""
        if self.reader is None:
            return {"error": "its agent has no screen that is read"}
        terminal = self.reader.terminal
        shown = picture(terminal.snapshot(), self._redactor)
        rule = self._publisher.status.rule
        return {
            "agent": self.reader.agent,
            "state": str(self.reader.state),
            "rule": rule,
            "application_cursor": terminal.private_mode(_DECCKM),
            "keyboard_flags": terminal.keyboard_flags,
            "at_ground": terminal.at_ground,
            "modes": terminal.modes().decode(),
            "composer": field(self.reader.composer, terminal.columns, self._redactor),
            **shown,
        }

    def _publish_paste_mode(self) -> None:
        """Tell whether the agent wants pastes bracketed, where that has changed."""
        if self.reader is not None:
            bracketed = self.reader.terminal.private_mode(_PASTE)
            if bracketed != self._publisher.status.bracketed_paste:
                self._publisher.set(bracketed_paste=bracketed)


_MOST = 200
_PAGE = 1 << 14
_PROC = Path("/proc")
_SHARE = 0.15
"""Of one core, above which processes are at work: a spinner alone takes less."""


class CpuActivity:
    """The processes below `pid`."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._last: tuple[float, float | None] | None = None

    def is_busy(self) -> bool | None:
        """Whether they used more than `_SHARE` of a core since the last call; None: not known."""
        burned, now = self._cpu_seconds(), time.monotonic()
        last, self._last = self._last, (now, burned)
        if last is None or burned is None or last[1] is None or now - last[0] < 0.05:
            return None
        return (burned - last[1]) / (now - last[0]) > _SHARE

    def _cpu_seconds(self) -> float | None:
        """CPU seconds of the whole tree, those of ended children included; None if it is gone."""
        waiting, total, count = [self._pid], 0, 0
        if not _PROC.is_dir():
            times = [row.cpu for row in below(self._pid, process_rows())]
            return sum(times) if times else None
        if not (_PROC / str(self._pid) / "stat").exists():
            return None
        while waiting and count < _MOST:
            pid = waiting.pop()
            count += 1
            try:
                stat = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
                children = _read(f"/proc/{pid}/task/{pid}/children").split()
            except OSError:
                continue
            total += sum(int(field) for field in stat[11:15])  # utime, stime, and the children's
            waiting += [int(child) for child in children]
        return total / self._ticks


def _read(path: str) -> bytes:
    """A file of `/proc`. It is read at every frame: `Path.read_text` takes three times as long."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(descriptor, _PAGE)
        while more := os.read(descriptor, _PAGE):
            data += more
        return data
    finally:
        os.close(descriptor)
