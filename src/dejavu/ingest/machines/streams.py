"""What a program sends about another machine, within limits: `RemoteProgram`, and a tar stream of it.

The other machine is not trusted to end. A program that is silent, too slow, too long or too much is killed,
and what it did is named; it is never waited for without an end. Its complaints are read as they come, the
first megabyte of them.
"""

import os
import selectors
import subprocess
import time
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Self

from dejavu.model import ProviderError

from .mirror import Mirror
from .tar_stream import TarStreamError

SILENCE = 120.0
"""Seconds without a byte; the first ones may wait for a password."""
SLOWEST, SLOW_SECONDS = 1024.0, 600.0
"""Bytes a second, on the average of so many seconds."""
LONGEST = 4 * 3600.0
"""Seconds of one program."""
MOST = 256 << 30
"""Bytes of one program; no home's sessions are that many."""
_MOST_WORDS = 1 << 20  # bytes of what the program complains of
_PIECE = 1 << 16


class NothingSentError(ProviderError):
    """The program ended without a stream; the text is what it said."""


class EndlessStreamError(ProviderError):
    """The program was ended, for its stream has no end within the limits; the text says which one."""


class RemoteProgram:
    """A program whose output is read within the limits. A context manager: leaving it ends the program."""

    def __init__(
        self, command: Sequence[str], machine: str, names: bytes | None = None, most: int = MOST
    ) -> None:
        """Start `command` with `names` on stdin (None: nothing is sent); at most `most` bytes are read.

        Raises:
            OSError: it cannot be started.
        """
        self._machine = machine
        self._most = self._room = most
        self._buffer = bytearray()
        self._words = bytearray()
        with TemporaryFile() as given:  # not a pipe: the program never waits for us to write
            given.write(names or b"")
            given.seek(0)
            self._program = subprocess.Popen(
                command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        self._selector = selectors.DefaultSelector()
        for stream in self._streams():
            self._selector.register(stream, selectors.EVENT_READ)
        self._began = self._slow_since = time.monotonic()
        self._slow_bytes = 0

    def _streams(self) -> list[IO[bytes]]:
        streams = (self._program.stdout, self._program.stderr)
        return [stream for stream in streams if stream is not None]

    def __enter__(self) -> Self:
        """The program, running."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it: kill it where it still runs."""
        self._selector.close()
        if self._program.poll() is None:
            self._program.kill()
        for stream in self._streams():
            stream.close()
        self._program.wait()

    def read(self, length: int) -> bytes:
        """So many bytes of its output; fewer only where it ended.

        Raises:
            EndlessStreamError: a limit was reached.
        """
        while len(self._buffer) < length and self._selector.get_map():
            self._wait()
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return data

    def end(self) -> int:
        """The exit code, once its output was read; what it still says is read before.

        Raises:
            EndlessStreamError: it did not end.
        """
        while self._selector.get_map():
            self._wait()
            self._buffer.clear()
        try:
            return self._program.wait(SILENCE)
        except subprocess.TimeoutExpired:
            raise self._endless(f"it did not end within {SILENCE:g} s") from None

    def complaints(self) -> list[str]:
        """What it said on stderr, line by line; what is there at once is read before."""
        if self._program.poll() is not None:
            while self._selector.get_map() and self._selector.select(0):
                self._wait()
        return self._words.decode("utf-8", "replace").strip().splitlines()

    def _wait(self) -> None:
        """Take what comes next from either stream."""
        ready = self._selector.select(SILENCE)
        now = time.monotonic()
        if not ready:
            raise self._endless(f"it sent nothing for {SILENCE:g} s")
        if now - self._began > LONGEST:
            raise self._endless(f"it took more than {LONGEST / 3600:g} h")
        for key, _ in ready:
            data = os.read(key.fd, _PIECE)
            if not data:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self._program.stderr:
                self._words += data[: _MOST_WORDS - len(self._words)]
            else:
                self._buffer += data
                self._room -= len(data)
                self._slow_bytes += len(data)
        if self._room < 0:
            raise self._endless(f"it sent more than {self._most:,} bytes")
        if now - self._slow_since > SLOW_SECONDS:
            if self._slow_bytes < SLOWEST * (now - self._slow_since):
                raise self._endless(f"it sent {self._slow_bytes:,} bytes in {SLOW_SECONDS:g} s")
            self._slow_since, self._slow_bytes = now, 0

    def _endless(self, what: str) -> EndlessStreamError:
        self._program.kill()
        return EndlessStreamError(
            f"{self._machine}: {what} and was ended; sync again continues there"
        )


def read_tar(
    command: Sequence[str],
    names: bytes,
    mirror: Mirror,
    machine: str,
    below: str = "",
    most: int = MOST,
) -> Iterator[tuple[str, int]]:
    """Run `command`, give it `names` on stdin, and write what it sends; yield names and sizes.

    Raises:
        NothingSentError: there was no stream.
        ProviderError: the stream ended early or is damaged; the files before that are kept.
        EndlessStreamError: a limit was reached; the same.
        OSError: a file cannot be written here, or the program cannot be run.
    """
    with RemoteProgram(command, machine, names, most) as program:
        sent = False
        try:
            for name, size in mirror.write(program, below):
                sent = True
                yield name, size
        except TarStreamError as error:
            words = program.complaints()
            reason = words[-1] if words else str(error)
            if not sent and not mirror.refused:
                raise NothingSentError(f"{machine}: {reason}") from error
            raise ProviderError(
                f"{machine}: {error} ({reason}); sync again continues there"
            ) from error
