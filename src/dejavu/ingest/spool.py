"""What the archive would not take, in files of the owner's until it does.

A file holds one source: a line that says which, then its lines. The next run recovers them.
"""

import fcntl
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from dejavu.archive import Archive
from dejavu.config.paths import private_folder, state_home
from dejavu.model import DejavuError, RawDelta, Vector

from .channel import Channel, pushed_source
from .ingestor import Ingestor
from .merge.arbitrate import merge_channel


class _Header(msgspec.Struct):
    """The first line of a file: which source its lines are of."""

    agent: str
    instance: str
    name: str
    vector: Vector
    workspace: str | None = None
    native_id: str | None = None


def spool_folder() -> Path:
    """The folder of these files."""
    return state_home() / "gateway"


def save_lines(folder: Path, channel: Channel, lines: Iterable[bytes]) -> Path:
    """Write lines of a source. Raises OSError."""
    source = channel.source
    header = _Header(
        source.agent, source.instance, source.name, channel.vector, source.workspace,
        source.native_id,
    )  # fmt: skip
    path = private_folder(folder) / f"{source.key}.{os.getpid()}.jsonl"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(header) + b"\n")
        file.writelines(lines)
    return path


def recover(
    opener: Callable[..., AbstractContextManager[Archive]], folder: Path | None = None
) -> int:
    """Commit what earlier runs left; how many files that were. Those that fail stay."""
    count = 0
    for path in sorted((folder or spool_folder()).glob("*.jsonl")):
        try:
            with path.open("rb") as file, opener(write=True) as archive:
                # Another run may be at it: it holds the lock until the file is gone.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not path.exists():
                    continue
                channel = _channel(msgspec.json.decode(file.readline(), type=_Header))
                delta = RawDelta(archive.raw_length(channel.key), file.read())
                merge_channel(archive, channel, Ingestor(archive).commit(channel, delta))
                path.unlink()
                count += 1
        except (OSError, DejavuError, ValueError, KeyError):
            continue
    return count


def _channel(header: _Header) -> Channel:
    source = pushed_source(
        header.agent, header.name, header.instance, native_id=header.native_id,
        workspace=header.workspace,
    )  # fmt: skip
    return Channel(header.vector, source)
