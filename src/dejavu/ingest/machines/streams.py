"""A tar stream from a program into a mirror."""

import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile

from dejavu.model import ProviderError

from .mirror import Mirror

_MOST_WORDS = 4096  # bytes of what the program complains of


class NothingSentError(ProviderError):
    """The program ended without a stream; the text is what it said."""


def read_tar(
    command: Sequence[str], names: bytes, mirror: Mirror, machine: str, below: str = ""
) -> Iterator[tuple[str, int]]:
    """Run `command`, give it `names` on stdin, and write what it sends; yield names and sizes.

    Raises:
        NothingSentError: there was no stream.
        ProviderError: the stream ended early; the files before that are kept.
        OSError: a file cannot be written here, or the program cannot be run.
    """
    # Files instead of pipes: the program never waits for us to read its complaints.
    with TemporaryFile() as stdin, TemporaryFile() as stderr:
        stdin.write(names)
        stdin.seek(0)
        sent = False
        program = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr)
        with program, program.stdout or stdin as stream:
            try:
                for name, size in mirror.write(stream, below):
                    sent = True
                    yield name, size
                while stream.read(1 << 16):
                    pass  # the blocks of padding
            except tarfile.TarError as error:
                program.wait()
                stderr.seek(0)
                said = stderr.read(_MOST_WORDS).decode("utf-8", "replace").strip().splitlines()
                reason = said[-1] if said else str(error)
                if not sent:
                    raise NothingSentError(f"{machine}: {reason}") from error
                raise ProviderError(
                    f"{machine}: what it sent ended early ({reason}); sync again, it goes on there"
                ) from error
            except BaseException:
                program.kill()
                raise
