"""Amp's threads as Amp itself exports them: `amp threads list` and `amp threads export`.

Since spring 2026 Amp keeps threads on its server alone. Runs Amp's program and reads from it the
same threads as `amp`, under the same keys. Only where the operator asked for it: the program goes
online with the operator's own login. It is only ever told to list and to export, in a bounded time,
and what it prints is kept byte for byte. Costs a run of the program, and one for each thread that
changed.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import UnreadableSessionError, from_iso
from dejavu.model.blake2 import blake2b

from ..follow.document import FileCursor
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from .files import Amp

_THREADS = 10_000  # at the most
_MOST = 512 << 20  # bytes of a thread
_LIST, _EXPORT = 60.0, 120.0  # seconds for one run
_BUDGET = 900.0  # seconds for all of them
_ID = re.compile(r"\bT-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_LISTINGS = (
    ("threads", "list", "--json", "--include-archived", "--limit", str(_THREADS)),
    ("threads", "list", "--json", "--include-archived"),
    ("threads", "list", "--json"),
    ("threads", "list"),
)
"""From the newest version's options to the oldest's, which prints a table."""


class AmpExport(Amp):
    """Provider of the threads that Amp's server keeps for who is logged in."""

    def __init__(self, program: str = "amp", *, budget: float = _BUDGET) -> None:
        self._program = program
        self._end = time.monotonic() + budget
        self._changed: dict[str, int] = {}

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each thread of the account.

        Raises:
            UnreadableSessionError: there is no such program, or it gave no list; says what it said.
        """
        threads = self._list()
        self._changed = dict(threads)
        for native in threads:
            path = Path(f"{self._program} threads export {native}")
            yield Source(self.agent, path, home.instance, Kind.WHOLE, native, home.workspace)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """The thread, if the list says that it changed."""
        native = source.native_id or ""
        mark = FileCursor() if since is None else msgspec.msgpack.decode(since, type=FileCursor)
        changed = self._changed.get(native, 0)
        if changed and changed <= mark.mtime and not mark.inode:
            return
        data = self._run(("threads", "export", native), _EXPORT)
        thread = as_dict(decode_lenient(data))
        if not isinstance(thread.get("messages"), list):
            raise UnreadableSessionError(f"{source.path}: the answer is not an Amp thread")
        changed = changed or _moment(thread) or time.time_ns()
        digest = blake2b(data, digest_size=16).digest()
        cursor = msgspec.msgpack.encode(FileCursor(digest, len(data), changed))
        if digest == mark.digest:
            yield RawDelta(len(data), b"", cursor)
        else:
            yield RawDelta(0, data, cursor, reset=since is not None)

    def _list(self) -> dict[str, int]:
        """Each thread, and when it changed in Unix nanoseconds; 0 where the list does not say."""
        problem: UnreadableSessionError | None = None
        for listing in _LISTINGS:
            try:
                printed = self._run(listing, _LIST)
            except UnreadableSessionError as error:
                if "option" not in str(error):
                    raise
                problem = error
                continue
            value: Any = decode_lenient(printed)
            if value is None:
                return dict.fromkeys(_ID.findall(printed.decode("utf-8", "replace")), 0)
            listed = as_dicts(as_dict(value).get("threads") or value)
            moments = {as_str(thread.get("id")): _moment(thread) for thread in listed}
            return {native: at for native, at in moments.items() if _ID.fullmatch(native)}
        raise problem or UnreadableSessionError(f"{self._program} threads list gave nothing")

    def _run(self, arguments: tuple[str, ...], limit: float) -> bytes:
        """What the program prints."""
        command = " ".join((self._program, *arguments))
        program = shutil.which(self._program)
        if program is None:
            raise UnreadableSessionError(
                f"{command}: there is no program {self._program} on the PATH"
            )
        left = min(limit, self._end - time.monotonic())
        if left <= 0:
            raise UnreadableSessionError(f"{command}: the time for asking is over; ask once more")
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [program, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                cwd="/", env={**os.environ, "NO_COLOR": "1"}, start_new_session=True,
            )  # fmt: skip
            try:
                status = process.wait(left)
            except subprocess.TimeoutExpired:
                raise UnreadableSessionError(f"{command}: no answer within {left:.0f} s") from None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            if status:
                raise UnreadableSessionError(
                    f"{command}: {_last_words(errors) or f'exit code {status}'}"
                )
            if out.seek(0, os.SEEK_END) > _MOST:
                raise UnreadableSessionError(f"{command}: more than {_MOST >> 20} MiB")
            out.seek(0)
            return out.read()


def _last_words(errors: Any) -> str:
    """The last line that is none of the usage that follows an error."""
    errors.seek(0)
    lines = errors.read(1 << 16).decode("utf-8", "replace").splitlines()
    spoken = [line.strip() for line in lines if line.strip()]
    last = next((line for line in spoken if "rror" in line), spoken[-1] if spoken else "")
    return last.removeprefix("Error: ")[:300]


def _moment(thread: dict[str, Any]) -> int:
    """When a thread changed, in Unix nanoseconds."""
    updated = thread.get("updated") or thread.get("updatedAt") or thread.get("userLastInteractedAt")
    at = from_iso(updated)
    return 0 if at is None else int(at * 1e9)
