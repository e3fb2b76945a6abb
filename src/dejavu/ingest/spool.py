"""Durable spool of pushed lines: what the archive would not take, in files of the owner's until it does.

A file is one batch of one source: a line that says which, then its lines. It is on the disk (fsync of
file and folder) when `save_lines` returns, and goes when the archive has it. `recover` carries the
batches of a source in the order they were saved; one that fails holds back its own source only and is
named by `spool_state`. Before a batch is committed its offset in the source is noted in its name: a
batch carried twice (killed between commit and removal, answer lost) goes to the same bytes, which the
archive skips. A lock of the folder keeps a second `recover` out; it falls with its process.

Files, not LMDB: one entry can be erased for good, as `dejavu memory forget` must. Costs two fsync a batch and
one a step of carrying; O(entries) to list. Session logs are no business of this: agents keep those.
"""

import os
import random
import re
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.config.files import fsync_folder, read_json, replace_file, try_lock, write_json
from dejavu.config.paths import private_folder, state_home
from dejavu.model import ArchiveLockedError, DejavuError, RawDelta, Vector
from dejavu.model.blake2 import blake2b

from .channel import Channel, pushed_source
from .ingestor import Ingestor

_NAME = re.compile(r"(\d{20})\.([0-9a-f]{32})\.(?:at(\d+)|new)\.jsonl")
_STATE = ".state"
_FIRST_WAIT, _LONGEST_WAIT = 2.0, 60.0  # seconds between two tries while the archive is away
_FAILED_WAIT = 3600.0  # where it is there, and refuses single batches


class SpoolState(NamedTuple):
    """What waits: entries with the time of the oldest, why, and which entries the archive refuses."""

    waiting: int
    oldest: float | None
    refusal: str
    failed: dict[str, str]
    retry_at: float
    tries: int


class _Header(msgspec.Struct):
    """The first line of a file: which source its lines are of."""

    agent: str
    instance: str
    name: str
    vector: Vector
    workspace: str | None = None
    native_id: str | None = None
    prompt: str | None = None


def spool_folder() -> Path:
    """The folder of these files."""
    return state_home() / "gateway"


def save_lines(
    folder: Path,
    channel: Channel,
    lines: Iterable[bytes],
    *,
    offset: int | None = None,
    prompt: str | None = None,
) -> Path:
    """Write lines of a source, durable on return. Raises OSError; nothing is left then.

    `offset`: of the first byte in the source; None: where the archive ends. `prompt`: of a stream that
    has none in itself.
    """
    source = channel.source
    header = _Header(
        source.agent, source.instance, source.name, channel.vector, source.workspace,
        source.native_id, prompt,
    )  # fmt: skip
    newest = max((_number(path) for path in _entries(private_folder(folder))), default=0)
    number = max(time.time_ns(), newest + 1)  # in order, whatever the clock does
    place = "new" if offset is None else f"at{offset}"
    path = folder / f"{number:020}.{_digest(source.key)}.{place}.jsonl"
    replace_file(path, chain((msgspec.json.encode(header) + b"\n",), lines), durable=True)
    return path


def has_pending(folder: Path, key: str) -> bool:
    """Whether lines of the source `key` wait: newer ones must wait behind them."""
    digest = _digest(key)
    return any(f".{digest}." in path.name for path in _entries(folder))


def spool_state(folder: Path | None = None) -> SpoolState:
    """What waits in the spool, and why."""
    folder = folder or spool_folder()
    noted = read_json(folder / _STATE)
    entries = _entries(folder)
    names = {path.name for path in entries}
    times: list[float] = []
    for path in entries:
        with suppress(OSError):
            times.append(path.stat().st_mtime)
    failed = noted.get("failed", {})
    return SpoolState(
        len(entries), min(times, default=None), str(noted.get("refusal", "")),
        {name: reason for name, reason in failed.items() if name in names},
        float(noted.get("retry_at", 0.0)), int(noted.get("tries", 0)),
    )  # fmt: skip


def is_due(folder: Path | None = None, *, at: float | None = None) -> bool:
    """Whether anything waits and the pause after the last refusal is over (`at`: Unix seconds)."""
    folder = folder or spool_folder()
    if not _entries(folder):
        return False
    at = time.time() if at is None else at
    return not at < spool_state(folder).retry_at <= at + 2 * _FAILED_WAIT  # a clock set back


def recover(
    opener: Callable[..., AbstractContextManager[Archive]],
    folder: Path | None = None,
    committed: Callable[[set[str]], object] = len,
) -> int:
    """Commit what waits; how many files that were. Those that fail stay.

    At once, whatever the pause after a refusal; `is_due` says whether that is over. `committed` gets
    the conversations of each.
    """
    folder = folder or spool_folder()
    if not _entries(folder):
        return 0
    with _alone(folder) as alone:
        return _carry(opener, folder, committed) if alone else 0


def _carry(
    opener: Callable[..., AbstractContextManager[Archive]],
    folder: Path,
    committed: Callable[[set[str]], object],
) -> int:
    count, refusal = 0, ""
    failed: dict[str, str] = {}
    held_back: set[str] = set()
    entries = _entries(folder)
    newest = {_source_of(path): path for path in entries}
    try:
        with opener(write=True) as archive:
            for path in entries:
                source = _source_of(path)
                if source in held_back:
                    continue
                try:
                    committed(_commit(archive, path, merge=path is newest[source]))
                except ArchiveLockedError:
                    raise
                except Exception as error:  # one bad batch must not stop the other sources
                    archive.counts()  # raises where the archive is away altogether
                    failed[path.name] = f"{type(error).__name__}: {error}"[:500]
                    held_back.add(source)
                else:
                    count += 1
    except (OSError, DejavuError) as error:
        refusal = str(error)
    _note(folder, refusal, failed)
    return count


def _commit(archive: Archive, path: Path, *, merge: bool) -> set[str]:
    """Commit one batch at the offset its name says, or will say, and remove it.

    The conversations it belongs to; with `merge` they are merged with what else holds them.
    """
    with path.open("rb") as file:
        header = msgspec.json.decode(file.readline(), type=_Header)
        channel = _channel(header)
        body = file.read()
    length, offset = archive.sources.raw_length(channel.key), _offset(path)
    if offset is None or offset > length:
        offset = length
        path = _renamed(path, offset)
    if length < offset + len(body):
        make = partial(channel.parser, prompt=header.prompt) if header.prompt else None
        touched = Ingestor(archive).commit(channel, RawDelta(offset, body), make)
    else:
        touched = set(archive.sources.conversations(channel.key))
    if merge:
        from .merge.arbitrate import merge_channel  # of use to what was pushed alone

        merge_channel(archive, channel, touched)
    path.unlink()
    fsync_folder(path.parent)
    return touched


def _renamed(path: Path, offset: int) -> Path:
    """The file with its offset noted; one of an older program keeps its place as the oldest."""
    match = _NAME.fullmatch(path.name)
    number = match[1] if match else f"{0:020}"
    target = path.with_name(f"{number}.{_source_of(path)}.at{offset}.jsonl")
    path.rename(target)
    fsync_folder(target.parent)
    return target


def _note(folder: Path, refusal: str, failed: dict[str, str]) -> None:
    """Keep why something still waits, and until when not to try again."""
    with suppress(OSError):
        if not refusal and not failed:
            (folder / _STATE).unlink(missing_ok=True)
            return
        tries = spool_state(folder).tries + 1
        longest = _LONGEST_WAIT if refusal else _FAILED_WAIT
        wait = min(_FIRST_WAIT * 2 ** min(tries - 1, 12), longest)
        wait *= random.uniform(0.5, 1.5)  # noqa: S311 - many machines wait for the same server
        write_json(
            folder / _STATE,
            {"refusal": refusal, "failed": failed, "tries": tries, "retry_at": time.time() + wait},
        )


@contextmanager
def _alone(folder: Path) -> Generator[bool]:
    """Whether no other process carries this spool; none does for the length of the block."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def _entries(folder: Path) -> list[Path]:
    """The batches in order; those of older programs first, which have no number."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.glob("*.jsonl") if path.name[0] != "."]
    return sorted(found, key=lambda path: (_number(path), path.name))


def _number(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else 0


def _offset(path: Path) -> int | None:
    match = _NAME.fullmatch(path.name)
    return int(match[3]) if match and match[3] else None


def _source_of(path: Path) -> str:
    """What batches of one source have in common in their names."""
    match = _NAME.fullmatch(path.name)
    return match[2] if match else _digest(path.name)


def _digest(key: str) -> str:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _channel(header: _Header) -> Channel:
    source = pushed_source(
        header.agent, header.name, header.instance, native_id=header.native_id,
        workspace=header.workspace,
    )  # fmt: skip
    return Channel(header.vector, source)
