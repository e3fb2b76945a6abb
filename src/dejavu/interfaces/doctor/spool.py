"""The hooks' spool: entries waiting, entries refused, and internal errors in the daemon's log."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from dejavu.config.clock import now
from dejavu.config.paths import archive_location
from dejavu.ingest.spool import spool_folder, spool_state
from dejavu.model.plural import counted
from dejavu.recall.waiting_notes import INJECTION, MEMORY, WaitingNotes
from dejavu.services.daemon.spool import REFUSED
from dejavu.services.hook_protocol import LOG, SPOOL, folder

from .finding import Finding, Severity

_MAX_WAIT = 600.0  # seconds that an entry may wait: a daemon starts at the next hook
_TAIL = 20_000  # bytes of the log
_TOLD = 5  # lines of it that go into the facts


def spool() -> Iterator[Finding]:
    """Yield nothing where no hook ever called."""
    hooks = Path(folder())
    if not hooks.is_dir():
        return
    waiting, refused = _timestamps(hooks / SPOOL), _timestamps(hooks / REFUSED)
    age = now() - min(waiting, default=now())
    late = age > _MAX_WAIT
    yield Finding(
        subject="hook spool", severity=Severity.WARNING if late else Severity.OK,
        message=f"{len(waiting)} waiting" + (f", the oldest for {age / 60:.0f} min" if late else ""),
        fix="`dejavu daemon` imports them" if late else "",
        facts={"waiting": len(waiting), "oldest_seconds": round(age) if waiting else None},
    )  # fmt: skip
    if refused:
        day = time.strftime("%Y-%m-%d", time.localtime(max(refused)))
        yield Finding(
            subject="hooks refused", severity=Severity.WARNING, facts={"refused": len(refused)},
            message=f"{len(refused)} entries that cannot be parsed are kept, the last of {day}",
            fix=f"look into {hooks / REFUSED} and delete what is of no use",
        )  # fmt: skip


def unstored_lines() -> Iterator[Finding]:
    """Yield a finding where streams, telemetry or the wire gave what the archive would not take."""
    state = spool_state()
    if not state.waiting:
        return
    age = now() - (state.oldest or now())
    why = f": {state.refusal}" if state.refusal else ""
    yield Finding(
        subject="spool", severity=Severity.WARNING,
        facts={"waiting": state.waiting, "oldest_seconds": round(age), "tries": state.tries},
        message=f"{state.waiting} files in {spool_folder()} wait for the archive to take them, the oldest "
        f"for {age / 60:.0f} min{why}",
        fix="the daemon and the next `dejavu sync` store them where the archive can be written",
    )  # fmt: skip
    for name, reason in state.failed.items():
        yield Finding(
            subject="spool refused", severity=Severity.WARNING, facts={"file": name},
            message=f"{spool_folder() / name} could not be stored: {reason}",
            fix="report it; later lines of the same source wait behind it, all others go on",
        )  # fmt: skip


def waiting_notes() -> Iterator[Finding]:
    """Yield a finding where memories wait for the archive, or injections are noted here alone."""
    notes = WaitingNotes(archive_location())
    memories, injections = notes.count(MEMORY), notes.count(INJECTION)
    if not memories and not injections:
        return
    yield Finding(
        subject="waiting notes", severity=Severity.WARNING if memories else Severity.OK,
        facts={"memories": memories, "injections": injections},
        message=f"{counted(memories, 'memory', 'memories')} and {counted(injections, 'injection')} "
        f"are noted on this machine alone, in {notes.folder}",
        fix="the next `dejavu sync` stores them where the archive can be written" if memories else "",
    )  # fmt: skip


def daemon_log() -> Iterator[Finding]:
    """Yield whether the daemon's log holds internal errors; its last lines are in the facts."""
    path = Path(folder()) / LOG
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL))
            tail = file.read().decode("utf-8", "replace")
    except OSError:
        return
    faults = tail.count("Traceback (most recent call last)")
    yield Finding(
        subject="daemon log", severity=Severity.WARNING if faults else Severity.OK,
        message=f"{faults} internal errors near the end of {path}" if faults else str(path),
        fix="please report them; the log names code, never conversations" if faults else "",
        facts={"path": str(path), "faults": faults, "tail": tail.splitlines()[-_TOLD:]},
    )  # fmt: skip


def _timestamps(waiting: Path) -> list[float]:
    """When each entry was written; incomplete ones do not count."""
    try:
        with os.scandir(waiting) as entries:
            return [entry.stat().st_mtime for entry in entries if not entry.name.startswith(".")]
    except OSError:
        return []
