"""What did not reach the archive: sources that failed, stores that are not read, the spools.

A source is a session file or a vendor's store. Entries of hooks and lines of streams wait in spools;
the daemon's log is read for internal errors.

Tested in: tests/interfaces/doctor/test_spool.py
"""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.clock import now
from dejavu.config.paths import archive_location, is_server
from dejavu.config.settings import load_config, own_instance
from dejavu.ingest.silent_stores import silent_stores
from dejavu.ingest.source_failures import SourceFailure, long_records, reason_alone, source_failures
from dejavu.ingest.spool import spool_folder, spool_state
from dejavu.model import ArchiveError, NotFoundError
from dejavu.model.plural import counted
from dejavu.providers import Home, agents
from dejavu.recall.injection_log import INJECTION, MEMORY, WaitingNotes
from dejavu.services.daemon.spool import REFUSED
from dejavu.services.hook_protocol import LOG, SPOOL, folder

from .finding import Finding, Severity

_MAX_SHOWN = 5  # sources with a finding of their own; the facts of the last one name the rest


def sources() -> Iterator[Finding]:
    """Yield one finding for each source that fails; nothing where none does. O(failures)."""
    try:
        with open_archive() as archive:
            failures, long = source_failures(archive), long_records(archive)
    except (NotFoundError, ArchiveError):
        return  # the archive's own check says so
    yield from map(_failure_finding, failures[:_MAX_SHOWN])
    rest = failures[_MAX_SHOWN:]
    if rest:
        yield Finding(
            subject="sources", severity=Severity.WARNING,
            message=f"{len(rest)} more sources could not be imported",
            fix="`dejavu doctor --json` names them",
            facts={"sources": [{"agent": each.agent, "path": each.name} for each in rest]},
        )  # fmt: skip

    for record in long[:_MAX_SHOWN]:
        yield Finding(
            subject=f"{record.agent} source", severity=Severity.WARNING,
            message=f"{record.name}: {record.reason}",
            fix="raise `longest_line` under [sync] in config.toml, then `dejavu archive reparse`",
            facts={"agent": record.agent, "path": record.name, "last": record.last},
        )  # fmt: skip


def unread() -> Iterator[Finding]:
    """Yield one finding for what is in this home and gave no conversation. O(sources).

    With an archive on a server only the files are looked at: a round trip a source takes too long.
    """
    home = Home.own(own_instance(load_config()))
    with ExitStack() as stack:
        archive: Archive | None = None
        with suppress(NotFoundError, ArchiveError):  # the archive's own check says so
            archive = stack.enter_context(open_archive())
            stack.enter_context(archive.views.shared())
        failed: set[str] = (
            set() if archive is None else {each.name for each in source_failures(archive)}
        )
        local = archive if archive is not None and not is_server(archive.name) else None
        found = [one for one in silent_stores(local, home) if str(one.path) not in failed]
    if found:
        titles = ", ".join(sorted({agents()[one.agent].title for one in found}))
        stores = [
            {"title": agents()[one.agent].title, "path": str(one.path), "reason": one.reason}
            for one in found
        ]
        yield Finding(
            subject="unread stores", severity=Severity.WARNING,
            message=f"history that this version does not read: {titles}",
            fix="keep these folders; a newer Déjà Vu may read them",
            facts={"stores": stores},
        )  # fmt: skip


def _failure_finding(failure: SourceFailure) -> Finding:
    first = datetime.fromtimestamp(failure.first).astimezone().strftime("%Y-%m-%d %H:%M")
    times = "" if failure.count == 1 else f", {failure.count} times since {first}"
    return Finding(
        subject=f"{failure.agent} source", severity=Severity.WARNING,
        message=f"{failure.name} could not be imported{times}: {reason_alone(failure.name, failure.reason)}",
        fix=f"`dejavu -v sync --agent {failure.agent}` tries again and shows where it fails",
        facts={
            "agent": failure.agent, "path": failure.name, "reason": failure.reason,
            "first": failure.first, "last": failure.last, "count": failure.count,
        },
    )  # fmt: skip


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
            message=f"{len(refused)} entries cannot be parsed and are kept, the last from {day}",
            fix=f"look in {hooks / REFUSED} and delete what you don't need",
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
        message=f"{state.waiting} files in {spool_folder()} are not in the archive yet, the oldest "
        f"for {age / 60:.0f} min{why}",
        fix="the daemon or the next `dejavu sync` stores them once the archive can be written",
    )  # fmt: skip
    for name, reason in state.failed.items():
        yield Finding(
            subject="spool refused", severity=Severity.WARNING, facts={"file": name},
            message=f"{spool_folder() / name} could not be stored: {reason}",
            fix="please report it; later lines of this source wait, other sources don't",
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
        f"are stored on this machine only, in {notes.folder}",
        fix="the next `dejavu sync` stores them once the archive can be written" if memories else "",
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
