"""What the archive would not take, in files of the owner's until it does.

A file holds one source: a line that says which, then its lines. The next run takes them up.
"""

import fcntl
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from dejavu.archive import Archive
from dejavu.config.paths import private_folder, state_home
from dejavu.model import DejavuError, Vector
from dejavu.providers import STREAMS, TELEMETRY, Kind, Source
from dejavu.providers.formats.wire import parser

from .spooled import Feed, complete, keep


def spool() -> Path:
    """The folder of these files."""
    return state_home() / "gateway"


def leave(folder: Path, feed: Feed, lines: Iterable[bytes]) -> Path:
    """Write lines of a source. Raises OSError."""
    source = feed.source
    facts = {
        "agent": source.agent, "instance": source.instance, "name": source.name,
        "workspace": source.workspace, "vector": str(feed.vector),
    }  # fmt: skip
    path = private_folder(folder) / f"{source.key}.{os.getpid()}.jsonl"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(facts) + b"\n")
        file.writelines(lines)
    return path


def take_up(
    opener: Callable[..., AbstractContextManager[Archive]], folder: Path | None = None
) -> int:
    """Commit what earlier runs left; gives how many files were taken up. Others stay."""
    taken = 0
    for path in sorted((folder or spool()).glob("*.jsonl")):
        try:
            with path.open("rb") as file, opener(write=True) as archive:
                # Another run may be at it: it holds the lock until the file is gone.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not path.exists():
                    continue
                feed = _feed(msgspec.json.decode(file.readline()))
                complete(archive, feed, keep(archive, feed, file.read()))
                path.unlink()
                taken += 1
        except (OSError, DejavuError, ValueError, KeyError):
            continue
    return taken


def _feed(facts: dict[str, Any]) -> Feed:
    vector = Vector(facts["vector"])
    source = Source(
        agent=facts["agent"], path=Path(facts["name"]), instance=facts["instance"],
        kind=Kind.APPEND, workspace=facts["workspace"], name=facts["name"],
    )  # fmt: skip
    if vector is Vector.WIRE:
        return Feed(source, parser, vector)
    known = STREAMS if vector is Vector.STREAM else TELEMETRY
    return Feed(source, known[source.agent].parser, vector)
