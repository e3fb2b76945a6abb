"""Running and recent sessions: one private folder each, under the state folder.

    sessions/<id>/session.json   who: agent, command, pid, workspace, instance, name, started_at
    sessions/<id>/status.json    state, rule, since, updated_at; written by the observer alone
    sessions/<id>/control        Unix socket of the wrapper (see capsule.control)
    sessions/<id>/screen         Unix socket of the observer (see observer.screen_server)
    sessions/<id>/seen, sent     empty; when a user last looked, when Enter was last sent

The files are small JSON documents, replaced atomically, 0600. Of the screen they hold the row that
decided, and what a dialog asks, both redacted, and only while it is so. A session is
live while its wrapper's pid runs and was started when the file says (pids are reused). Standard
library only. Listing costs O(sessions kept); `tidy` keeps the newest few hundred.

`done` is idle that was not seen yet: the observer writes when work ended (`finished_at`), and
it is seen once `dejavu status SESSION`, `dejavu send`, the fleet page or a key typed in the
session's own terminal came later. Lists, `--watch` and `wait` look at everything all the time and
so do not count.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.files import read_json, write_json
from dejavu.config.paths import private_folder, state_home
from dejavu.model import InvalidValueError, NotFoundError

KEPT = 200
"""Sessions that are over and still listed."""


class SessionHeader(NamedTuple):
    """Who runs, as `session.json` says: written by the wrapper before the agent starts and after.

    A named tuple and `json`, for msgspec or dataclasses would cost the wrapper's start 10 ms or
    more. `argv` in the file is the program alone, until the observer has written the words with the
    secrets in them replaced; nothing is run again from it. `source` is the pane (`tmux:%7`) of an
    agent that was not started by us; its watcher takes the wrapper's place. `size`
    (`120x40`) and `tmux` (`SESSION:WINDOW`) say where it ran; the observer adds them.
    """

    id: str
    agent: str
    argv: list[str]
    workspace: str
    instance: str
    name: str
    wrapper_pid: int
    wrapper_started: int
    started_at: float
    screen: bool
    agent_pid: int | None = None
    source: str = ""
    version: int = 1
    size: str = ""
    tmux: str = ""


class Status(NamedTuple):
    """What it does: written by the observer on every change. Moments are Unix seconds.

    `message` is the agent's own word for its state, `pending` work in the background (kind and
    count), `blocked` what a person is asked. `signals` counts, by the signal's source, the
    frames in which it and the rules were compared, and those in which they differed. `reading` is
    what is known of how well this agent's screens are read (see `reading_scores`), `facts` what its
    conversation says of itself (see `observer.status_publisher`), `observer` the pid and start of
    the process that writes this. `disagreement` is what the agent reports and its screen denies.
    `draft` is what its text field holds, redacted; only where its screen may be kept.
    """

    state: str = "unknown"
    rule: str | None = None
    detail: str = ""
    since: float = 0.0
    updated_at: float = 0.0
    exit_status: int | None = None
    conversation: str | None = None
    kept: str = ""
    bracketed_paste: bool = False
    notes: tuple[str, ...] = ()
    finished_at: float = 0.0
    message: str = ""
    pending: tuple[dict[str, Any], ...] = ()
    blocked: dict[str, Any] | None = None
    signals: dict[str, dict[str, int]] | None = None
    reading: dict[str, Any] | None = None
    facts: dict[str, Any] | None = None
    observer: tuple[int, int] | None = None
    disagreement: dict[str, Any] | None = None
    draft: str = ""


def sessions_folder() -> Path:
    """The folder that holds one folder a session."""
    return state_home() / "sessions"


def new_session_id(now: float) -> str:
    """A short id that sorts by time: `20261121-203105-3fa9`."""
    return time.strftime("%Y%m%d-%H%M%S-", time.localtime(now)) + os.urandom(2).hex()


def process_started(pid: int, without: bytes = b"Z") -> int | None:
    """When a process started, to tell it from a later one of its number; None if it is gone.

    Clock ticks since boot (Linux), else Unix seconds, 0 where that is not told. `without`: states
    of proc(5) that count as gone: zombies, with `T` and `t` the stopped ones too.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()  # the name in it may be of any bytes
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    except OSError:
        return None
    else:
        # The command's name may hold blanks and brackets: fields are counted behind its last ")".
        fields = stat.rpartition(b")")[2].split()
        return None if fields[0] in without else int(fields[19])
    try:
        os.kill(pid, 0)
    except OSError:
        return None
    from .process_table import process_rows

    rows = process_rows(pid)
    if rows and rows[0].state[:1].encode() in without:
        return None
    return rows[0].started if rows else 0


def own_process() -> tuple[int, int]:
    """The number and the start of this process."""
    pid = os.getpid()
    return pid, process_started(pid) or 0


def create(header: SessionHeader) -> Path:
    """Make the session's folder, write who it is and return the folder.

    Of the command line only the program is written: a key may follow it.
    """
    folder = private_folder(sessions_folder()) / header.id
    folder.mkdir(mode=0o700)
    write_header(folder, header)
    return folder


def write_header(folder: Path, header: SessionHeader) -> None:
    """Write who the session in `folder` is; of the command line only the program."""
    write_json(folder / "session.json", header._replace(argv=header.argv[:1])._asdict())


def set_status(folder: Path, status: Status) -> None:
    """Write what the session does now."""
    write_json(folder / "status.json", status._asdict())


def touch(folder: Path, what: str) -> None:
    """Note that a user did `what` now: `seen`, `sent`, `stopped`, `restored`. Never raises."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder / what, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            # The kernel's own stamp may lie a few milliseconds behind the clock of the states.
            os.utime(descriptor, ns=(time.time_ns(), time.time_ns()))
        finally:
            os.close(descriptor)


def _marked(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def last_typed(pid: int) -> float:
    """When a key last reached the terminal that process `pid` reads; 0 where that is not known.

    Linux stamps a terminal that is read from, in steps of 8 seconds: what `w` calls idle time.
    """
    stdin = Path(f"/proc/{pid}/fd/0")
    with contextlib.suppress(OSError):
        if str(stdin.readlink()).startswith(("/dev/pts/", "/dev/tty")):
            return stdin.stat().st_atime
    return 0.0


class SessionView(NamedTuple):
    """A session as found: its folder, who it is, what it does, whether it runs, who looked.

    `observed`: whether the process that follows it runs, too.
    """

    folder: Path
    session: SessionHeader
    status: Status
    live: bool
    seen_at: float = 0.0
    sent_at: float = 0.0
    observed: bool = True

    @property
    def state(self) -> str:
        """The state of the contract: `exited` once the wrapper is gone, whatever was last said.

        An agent in a pane may run on when it is not watched: `unknown`, unless it was seen to end.
        So is a wrapped one whose observer is gone: what was read last may long be over.
        """
        if not self.live:
            unwatched = self.session.source and self.status.state != "exited"
            return "unknown" if unwatched else "exited"
        if not self.observed and self.status.state != "exited":
            return "unknown"
        if self.status.state == "idle" and self.status.finished_at > self.seen_at:
            return "done"
        return self.status.state

    @property
    def label(self) -> str:
        """What a person calls it: its name, else its id."""
        return self.session.name or self.session.id

    @property
    def end(self) -> str:
        """What is to be said of a session that is not live."""
        return "is not watched any more" if self.state == "unknown" else "has ended"


def load(folder: Path) -> SessionView | None:
    """The session in `folder`; None where its files are missing or damaged."""
    what = read_json(folder / "status.json")
    try:
        status = Status(**{k: what[k] for k in Status._fields if k in what})
    except TypeError:
        return None
    return load_with(folder, status)


def load_with(folder: Path, status: Status) -> SessionView | None:
    """The session in `folder` with a status that is known; None where it has no sound header."""
    who = read_json(folder / "session.json")
    try:
        session = SessionHeader(**{k: who[k] for k in SessionHeader._fields if k in who})
    except TypeError:
        return None
    return with_liveness(SessionView(folder, session, status, live=False))


def with_liveness(view: SessionView) -> SessionView:
    """The view with what changes though nothing is written of it: its process, who looked."""
    folder, session, status = view[:3]
    running = process_started(session.wrapper_pid)
    # 0 where the system does not say: that a process is there must do.
    live = running is not None and (running == session.wrapper_started or not running)
    seen_at, sent_at = _marked(folder / "seen"), _marked(folder / "sent")
    if live and status.finished_at > seen_at:
        pid = session.agent_pid if session.source else session.wrapper_pid
        seen_at = max(seen_at, last_typed(pid or 0))
    observed = True
    if live and status.observer is not None:
        pid, started = status.observer
        observed = process_started(pid, b"ZTt") == started
    return SessionView(folder, session, status, live, seen_at, sent_at, observed)


def find_all() -> list[SessionView]:
    """All sessions, the newest first."""
    root = sessions_folder()
    names = sorted((p.name for p in root.iterdir()), reverse=True) if root.is_dir() else []
    return [view for name in names if (view := load(root / name)) is not None]


def find(wanted: str) -> SessionView:
    """One session by id, unique beginning of it, or name (the one that runs, else the newest).

    Raises:
        NotFoundError: no session, or more than one that runs, answers to `wanted`.
        InvalidValueError: it is empty, as an unset variable of a script is.
    """
    if not wanted.strip():
        raise InvalidValueError("SESSION is empty; `dejavu status` lists ids and names")
    views = find_all()
    exact = [s for s in views if wanted in (s.session.id, s.session.name)]
    live = [s for s in exact if s.live]
    if exact and len(live) <= 1:
        return live[0] if live else exact[0]
    matches = live or [s for s in views if s.session.id.startswith(wanted)]
    if len(matches) == 1:
        return matches[0]
    problem = "more than one session answers to" if matches else "no session answers to"
    advice = "`dejavu status --all` lists them"
    if not matches and ":" in wanted:
        advice = "a pane is a session while `dejavu panes --watch` runs"
    raise NotFoundError(f"{problem} {wanted!r}; {advice}")


def remove_ended() -> None:
    """Remove folders of sessions that are over, all but the newest `KEPT`. Never raises."""
    import shutil  # the wrapper has no use for it

    ended = [view for view in find_all() if not view.live]
    for view in ended[KEPT:]:
        with contextlib.suppress(OSError):
            shutil.rmtree(view.folder)
