"""What agents' hooks left: letters that wait, letters refused, and what the daemon had to say."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from dejavu.services.daemon.spool import REFUSED
from dejavu.services.hook_protocol import LOG, SPOOL, folder

from .finding import Finding, Grade

_LONG = 600.0  # seconds that a letter may wait: a daemon starts at the next hook
_TAIL = 20_000  # bytes of the log
_TOLD = 5  # lines of it that go into the facts


def spool() -> Iterator[Finding]:
    """Nothing where no hook ever called."""
    place = Path(folder())
    if not place.is_dir():
        return
    waiting, refused = _moments(place / SPOOL), _moments(place / REFUSED)
    age = time.time() - min(waiting, default=time.time())
    late = age > _LONG
    yield Finding(
        subject="hooks' letters", grade=Grade.NOTE if late else Grade.GOOD,
        told=f"{len(waiting)} wait" + (f", the oldest for {age / 60:.0f} min" if late else ""),
        cure="`dejavu daemon` takes them into the archive" if late else "",
        facts={"waiting": len(waiting), "oldest_seconds": round(age) if waiting else None},
    )  # fmt: skip
    if refused:
        day = time.strftime("%Y-%m-%d", time.localtime(max(refused)))
        yield Finding(
            subject="hooks refused", grade=Grade.NOTE, facts={"refused": len(refused)},
            told=f"{len(refused)} letters that nothing can be made of, the last of {day}, are kept",
            cure=f"look into {place / REFUSED}, and delete them when they are of no use",
        )  # fmt: skip


def daemon_log() -> Iterator[Finding]:
    """Whether the daemon's log holds faults of ours; its last lines are in the facts."""
    path = Path(folder()) / LOG
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL))
            tail = file.read().decode("utf-8", "replace")
    except OSError:
        return
    faults = tail.count("Traceback (most recent call last)")
    yield Finding(
        subject="daemon log", grade=Grade.NOTE if faults else Grade.GOOD,
        told=f"{faults} faults of ours near the end of {path}" if faults else str(path),
        cure="please report them; the log names code, never what was said" if faults else "",
        facts={"path": str(path), "faults": faults, "tail": tail.splitlines()[-_TOLD:]},
    )  # fmt: skip


def _moments(place: Path) -> list[float]:
    """When each letter was written; those not whole yet do not count."""
    try:
        with os.scandir(place) as entries:
            return [one.stat().st_mtime for one in entries if not one.name.startswith(".")]
    except OSError:
        return []
