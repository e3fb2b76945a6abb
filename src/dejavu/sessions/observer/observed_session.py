"""The session that an observer observes: its header decoded once, its command line, hooks, faults.

`redact_arguments` replaces the secrets in the words of a command line. `StatusReader` returns what
hooks said of the state (written by `sessions.hook_status`) and its moment when there is a newer one
than the last: one stat a poll. `FaultLog` counts what went wrong in the observer, logs it once a
kind, and tells the user in a sentence. Memory: O(kinds of failure), at most `_KINDS`.
"""

import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.files import read_json
from dejavu.scrapers import State
from dejavu.scrapers.status import SIGNAL_TTL

from ..hook_status import NAME
from ..session_store import SessionHeader


class ObservedSession(NamedTuple):
    """Who runs, and how: `screen` is None where the configuration decides on it.

    `folder` is the session's own; None where it could not be made. `columns` and `lines` are the
    terminal's, 0 where it does not know them. `resumed` counts the observers before this one.
    """

    header: SessionHeader
    folder: Path | None
    screen: bool | None
    mode: str
    agent_pid: int | None
    columns: int
    lines: int
    resumed: int = 0

    @property
    def kept_as(self) -> SessionHeader:
        """Under which id its screen and its stream are kept: those of each observer on their own."""
        if not self.resumed:
            return self.header
        return self.header._replace(id=f"{self.header.id}-{self.resumed + 1}")

    @property
    def has_terminal(self) -> bool:
        """Whether the agent draws on a screen."""
        return self.mode != "direct"

    @property
    def has_styles(self) -> bool:
        """Whether what it draws is seen with its styles: not where a pane gives only text."""
        return self.mode != "text"


def decode_header(fields: Mapping[str, Any]) -> ObservedSession:
    """Return the session that a `Header` event is about.

    Raises:
        KeyError, TypeError, ValueError: a field is missing, or of another type.
    """
    screen, pid, folder = fields.get("screen"), fields.get("pid"), fields.get("folder")
    header = SessionHeader(
        id=str(fields["id"]),
        agent=str(fields["agent"]),
        argv=[str(word) for word in fields["argv"]],
        workspace=str(fields["workspace"]),
        instance=str(fields.get("instance") or ""),
        name=str(fields.get("name") or ""),
        wrapper_pid=int(fields.get("wrapper_pid") or 0),
        wrapper_started=int(fields.get("wrapper_started") or 0),
        started_at=float(fields["started_at"]),
        screen=bool(screen),
        source=str(fields.get("source") or ""),
    )
    return ObservedSession(
        header=header,
        folder=Path(folder) if folder else None,
        screen=None if screen is None else bool(screen),
        mode=str(fields.get("mode", "")),
        agent_pid=None if pid is None else int(pid),
        columns=int(fields.get("columns") or 0),
        lines=int(fields.get("lines") or 0),
        resumed=int(fields.get("resumed") or 0),
    )


_KINDS = 1000


class FaultLog:
    """The faults of one session; `note` takes a sentence for the user."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.counts = Counter[str]()
        self.session = "-"
        self.note = note

    def record(self, duty: str, error: Exception) -> None:
        """Note an unexpected error; the first of its kind is logged with its trace."""
        kind = f"{duty} failed: {type(error).__name__}"
        if self.is_first(kind):
            traceback.print_exception(error)
            self.note(f"{kind}; `dejavu doctor` shows the log")

    def is_first(self, failure: str) -> bool:
        """Count a failure; one that is new is logged."""
        if len(self.counts) >= _KINDS and failure not in self.counts:
            failure = "more kinds of failure"
        self.counts[failure] += 1
        if self.counts[failure] == 1:
            print(time.strftime("%F %T"), self.session, failure, file=sys.stderr)
        return self.counts[failure] == 1


Redact = Callable[[str], str]


def redact_arguments(words: Sequence[str], redact: Redact) -> list[str]:
    """Return as many words; the value of an option is also read as an assignment to its name.

    So `--api-key VALUE` and `--api-key=VALUE` are redacted as `API_KEY=VALUE` would be.
    """
    result: list[str] = []
    option = ""
    for word in words:
        name, equals, value = word.partition("=")
        redacted = redact(word)
        if redacted == word and option:
            redacted = _redact_value(option, word, redact)
        elif redacted == word and equals and word.startswith("-"):
            redacted = f"{name}={_redact_value(name, value, redact)}"
        result.append(redacted)
        option = word if word.startswith("-") and not equals else ""
    return result


def _redact_value(option: str, value: str, redact: Redact) -> str:
    name = option.lstrip("-")
    for assignment in (f"{option}=", f"{name.upper().replace('-', '_')}="):
        redacted = redact(assignment + value)
        if redacted.startswith(assignment) and redacted != assignment + value:
            return redacted[len(assignment) :]
    return value


class StatusSignal(NamedTuple):
    """A structured signal: the state, when it was so (Unix seconds), who said it."""

    state: State
    at: float
    source: str


class StatusReader:
    """The status file of one session."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._mtime_ns = 0
        self.has_data = False

    def conversation(self) -> str | None:
        """The conversation that was spoken of, if anything was said."""
        conversation = read_json(self._path).get("conversation")
        return conversation if isinstance(conversation, str) else None

    def poll(self, now: float) -> StatusSignal | None:
        """The signal written since the last call, unless it is too old to be believed."""
        try:
            mtime_ns = self._path.stat().st_mtime_ns
        except OSError:
            return None
        self.has_data = True
        if mtime_ns == self._mtime_ns:
            return None
        self._mtime_ns = mtime_ns
        signal = read_json(self._path)
        state, at = signal.get("state"), signal.get("at")
        if not isinstance(state, str) or state not in {str(member) for member in State}:
            return None
        if not isinstance(at, int | float) or now - at >= SIGNAL_TTL:
            return None
        return StatusSignal(State(state), float(at), str(signal.get("source")))
