"""The three standard streams at the start and at the end of a command.

Closed ones are replaced before anything is opened; a stdout that is closed or full ends a command
as it would end `cat`. Imports little: `dejavu --version` passes through it.

Tested in: tests/interfaces/command_line/test_sync_below.py
"""

import errno
import os
import sys
from contextlib import suppress

_UNWRITTEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF})
"""What a write fails with that names no file: a stream's."""

_CURES = {
    errno.ENOSPC: "; free some space there and try again",
    errno.EDQUOT: "; your quota is used up: delete something there and try again",
    errno.EROFS: "; name a folder that can be written, or mount it for writing",
    errno.EACCES: "; name a place of your own, or have its owner let you",
}

READER_GONE = 141
"""The exit code that a shell shows for a program which SIGPIPE ended."""


class ExitError(Exception):
    """End the command with an exit code; what there is to say has been said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def open_missing() -> None:
    """Put something where stdin, stdout or stderr is closed, or the archive would be opened there.

    Writing to the stdout made here fails (EBADF), as for any other program.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - stays open


def replace_unencodable() -> None:
    """Let no text fail on its way in or out: odd bytes become U+FFFD, odd characters escapes.

    What stdin holds may be no UTF-8, and stdout may be ASCII (`PYTHONIOENCODING`, a bare locale).
    """
    for stream, errors in (
        (sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace"),
    ):  # fmt: skip
        stream.reconfigure(errors=errors)  # type: ignore[union-attr]  # the interpreter's own streams


def flushed(code: int) -> int:
    """Flush stdout and return `code`, or the code of the error that this ends in."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return report(error)
    return code


def report(error: OSError) -> int:
    """Name the file and the reason, or that stdout cannot be written; return the exit code."""
    reason = error.strerror or str(error)
    if error.filename is None:
        if error.errno in _UNWRITTEN:
            reason = f"cannot write: {reason}"
        try:
            sys.stdout.flush()
            if error.errno in _UNWRITTEN:  # a text larger than the buffer fails once, and is gone
                os.write(sys.stdout.fileno(), b"\n")
        except OSError as unwritten:
            error, reason = unwritten, f"cannot write to stdout: {unwritten.strerror}"
            # What is left in the buffer has nowhere to go, at exit neither.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return READER_GONE
    cure = _CURES.get(error.errno or 0, "")
    print_error(f"{error.filename}: {reason}{cure}" if error.filename else reason)
    return 1


def print_error(sentence: str) -> None:
    """One sentence on stderr, under our name."""
    from dejavu.redact.sanitise import sanitise  # its tables are of no use to a right command

    print(f"dejavu: {sanitise(sentence)}", file=sys.stderr)
