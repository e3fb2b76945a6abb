"""`dejavu hook guard`: what an agent calls with a tool's result, before the model sees it.

The agent's JSON comes on stdin. Where the result holds secrets, the answer that puts the redacted
result in its place is printed; else nothing. The payload is then spooled as `capture` does, its
result redacted, because this hook replaces that one (`--no-capture` leaves it out).
The daemon is asked first, so that this program only carries bytes; where there is none, or it is
too slow, the result is checked here.

A result that cannot be checked (no JSON, larger than 32 MB, out of time, a fault of ours) is
withheld, or passes as it is with `--fail-open`. The exit code is 0, so that the agent takes the
answer. `DEJAVU_GUARD=off` in the agent's environment turns it off. O(result).

Out of time, this process gives its place to a fresh one that only withholds (`--withheld`): an
exception raised in the middle of an import, or a second thread that imports, has crashed Python.
"""

import _thread
import os
import sys
import time

from dejavu.config.own_program import own_program
from dejavu.services.hook_protocol import (
    ANSWERED,
    GUARD,
    GUARD_LARGEST,
    GUARD_SOCKET,
    OFF,
    VARIABLE,
    encode_request,
)

from . import program
from .capture import spool
from .program import exchange

LIMIT = 3.5
"""Seconds, all in all; agents end their hooks after five."""
DAEMON_TIMEOUT = 1.5
"""Seconds to wait for the daemon; enough is left to check here."""
_FOR_FAILURE = 0.8  # seconds kept for saying that a result is withheld
_LARGE = 1 << 20  # bytes that may take longer than the limit, in steps that nothing interrupts
_FOR_LARGE = 0.4  # seconds kept, besides, for reading that much again

_WITHHELD = "--withheld"
_BLOCKED = (
    b'{"continue": false, "stopReason": "[withheld: not checked for secrets in time]", '
    b'"decision": "block", "reason": "[withheld: not checked for secrets in time]"}'
)
"""What withholds in every agent's form, where there is no time for the agent's own."""


def main(arguments: list[str] | None = None) -> int:
    """Answer one result and return 0."""
    words = arguments or []
    agent = program.agent_in(words)
    if _WITHHELD in words:
        return _withhold(agent)
    data = b""
    kept: bytes | None = None
    turn = _thread.allocate_lock()  # who has it answers

    def out_of_time() -> None:
        if not turn.acquire(blocking=False):
            time.sleep(_FOR_FAILURE / 2)  # the answer is being written
        elif "--fail-open" not in words:
            _start_over(words, data)

    limit = max(0.1, program.seconds(LIMIT) - _FOR_FAILURE)
    deadline = time.monotonic() + limit - _FOR_LARGE
    try:
        program.end_after(limit, out_of_time)
        try:
            data = program.read_stdin(GUARD_LARGEST)
            if os.environ.get("DEJAVU_GUARD", "").lower() in OFF:
                output, kept = b"", data
            else:
                answer = _ask_daemon(agent, data)
                output, kept = _check_here(agent, data, deadline) if answer is None else answer
                kept = kept or data
        except BaseException:  # whatever it is, the result was not checked
            output = b"" if "--fail-open" in words else _withheld(agent, data)
        turn.acquire()
        program.write_stdout(output)
    except BaseException:  # noqa: S110 - stdout is gone, so no one waits
        pass
    if kept and "--no-capture" not in words:
        _capture(agent, kept)
    return 0


def _withhold(agent: str) -> int:
    """Withhold the result on stdin, in the agent's form if that is had in time."""
    turn = _thread.allocate_lock()

    def out_of_time() -> None:
        if turn.acquire(blocking=False):
            program.write_stdout(_BLOCKED)
        else:
            time.sleep(_FOR_FAILURE / 2)

    try:
        program.end_after(_FOR_FAILURE / 2, out_of_time)
        output = _withheld(agent, program.read_stdin(GUARD_LARGEST))
        turn.acquire()
        program.write_stdout(output)
    except BaseException:  # noqa: S110 - stdout is gone, so no one waits
        pass
    return 0


def _start_over(words: list[str], data: bytes) -> None:
    """Become a process that withholds `data`; without one, withhold in no agent's own form."""
    try:
        os.dup2(_unnamed_file(data), 0)
        command = own_program("dejavu.interfaces.cli", "hook", "guard", _WITHHELD, *words)
        os.execv(command[0], command)  # noqa: S606 - our own program
    except BaseException:  # silence would let the result pass
        program.write_stdout(_BLOCKED)


def _unnamed_file(data: bytes) -> int:
    """A descriptor from which `data` is read; no other program can open it."""
    if sys.platform == "linux":
        descriptor = os.memfd_create("dejavu")
    else:
        from tempfile import TemporaryFile  # removed from its folder as soon as it is there

        with TemporaryFile() as unnamed:
            descriptor = os.dup(unnamed.fileno())
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _ask_daemon(agent: str, data: bytes) -> tuple[bytes, bytes] | None:
    """What to print and what to keep, as the daemon has it; None where it has no answer."""
    deadline = time.monotonic() + DAEMON_TIMEOUT
    environ = {f"{VARIABLE}{name}": value for name, value in os.environ.items()}
    request = encode_request(GUARD, deadline, {"agent": agent, **environ}, data)
    try:
        answer = exchange(GUARD_SOCKET, request, deadline)
    except OSError:
        return None
    return _unframed(answer[1:]) if answer[:1] == ANSWERED else None


def _framed(output: bytes, kept: bytes) -> bytes:
    """Both as one answer, in the daemon's form."""
    return b"%d\n%s%s" % (len(output), output, kept)


def _unframed(answer: bytes) -> tuple[bytes, bytes]:
    length, _, rest = answer.partition(b"\n")
    end = int(length)
    return rest[:end], rest[end:]


def _check_here(agent: str, data: bytes, deadline: float) -> tuple[bytes, bytes]:
    """The same, found out in this process, or in a child of it that can be ended."""
    program.load_site()
    if len(data) < _LARGE:
        return _checked(agent, data)
    left = max(0.1, deadline - time.monotonic())
    answer = program.answer_apart(lambda: _framed(*_checked(agent, data)), left)
    return _unframed(answer)


def _checked(agent: str, data: bytes) -> tuple[bytes, bytes]:
    from dejavu.archive.redactor import archive_redactor
    from dejavu.services.guard import guarded

    return guarded(agent, data, archive_redactor().redact)


def _withheld(agent: str, data: bytes) -> bytes:
    program.load_site()
    from dejavu.services.guard import withheld

    return withheld(agent, data)


def _capture(agent: str, payload: bytes) -> None:
    """Spool what may be kept; a fault costs the capture alone."""
    try:
        if payload.strip() and os.environ.get("DEJAVU_CAPTURE", "").lower() not in OFF:
            spool(agent, payload)
    except BaseException:  # noqa: S110 - a hook never blocks the agent
        pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
