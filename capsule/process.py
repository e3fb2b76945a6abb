"""The agent's program as a process: found and started as the shell would, and what its end means.

Kept apart so that every way of starting an agent says the same sentence when it cannot.
`set_process_title` names this process in lists of processes, where multiplexers look for an agent.
Standard library only.
"""

from __future__ import annotations

import errno
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import NoReturn

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_DESCRIPTORS = "/dev/fd"
_MOST_TRIED = 4096

# CPython ignores these at start-up, and what is ignored stays ignored across exec: an agent
# (and every pipeline it runs) would never see SIGPIPE.
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def spawn_error(program: str, reason: object, code: int = 127) -> Exception:
    """A `SpawnError` naming the program and why (record is imported late: it costs start-up)."""
    from dejavu.model.errors import SpawnError

    error = SpawnError(f"cannot start {program!r}: {reason}")
    error.code = code
    return error


def code_of(error: BaseException) -> int:
    """A shell's exit code where a program cannot be executed: 126 where it is there."""
    return 126 if isinstance(error, PermissionError) else 127


def find_program(name: str, env: Mapping[str, str]) -> str:
    """Path of the program NAME by the PATH in `env`.

    Raises `SpawnError` where there is none, or only one that may not be run.
    """
    if "/" in name:
        candidates = [name]
    else:
        folders = env.get("PATH", DEFAULT_PATH).split(":")
        candidates = [f"{folder or '.'}/{name}" for folder in folders if name]
    refused = None
    for path in candidates:
        if os.path.isfile(path):  # noqa: PTH113 - pathlib is not worth its import here
            if os.access(path, os.X_OK):
                return path
            refused = path
    if refused:
        raise spawn_error(name, f"{refused} is not executable", 126)
    if "/" not in name:
        raise spawn_error(name, "not found in PATH")
    is_folder = os.path.isdir(name)  # noqa: PTH112 - as above
    if is_folder:
        raise spawn_error(name, "it is a folder", 126)
    raise spawn_error(name, "no such file")


def inheritable_fds() -> list[int]:
    """Descriptors above 2 that were handed to us for the agent: `agent --config <(command)`."""
    handed: list[int] = []
    try:
        names: Iterable[str | int] = os.listdir(_DESCRIPTORS)  # noqa: PTH208 - no pathlib here
    except OSError:  # a container without /proc: those that a process may have are tried
        names = range(min(os.sysconf("SC_OPEN_MAX"), _MOST_TRIED))
    for name in names:
        fd = int(name)
        try:
            if fd > 2 and os.get_inheritable(fd):
                handed.append(fd)
        except OSError:
            continue  # the one that listed the folder
    return handed


def execute(path: str, argv: Sequence[str], env: Mapping[str, str]) -> NoReturn:
    """Become the program, with argv[0] as the user wrote it; raises OSError where that fails."""
    for number in signal.valid_signals():
        if number in IGNORED_BY_PYTHON or callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(path, list(argv), env)  # noqa: S606 - no shell: the program, exactly
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        # A script without "#!": a shell would run it itself, so does execvp(3).
        os.execve("/bin/sh", ["sh", path, *argv[1:]], env)  # noqa: S606 - it is one, argv is data


def exec_agent(argv: Sequence[str], env: Mapping[str, str]) -> NoReturn:
    """Replace this process by the agent (nested wrapping, nothing to capture).

    Raises `SpawnError`; otherwise never returns.
    """
    path = find_program(argv[0], env)
    try:
        execute(path, argv, env)
    except OSError as error:
        raise spawn_error(argv[0], error.strerror, code_of(error)) from error


def signal_of(status: int) -> int:
    """The signal that a wait status tells of, 0 where the program ended in its own way."""
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def exit_code(status: int) -> int:
    """A shell's exit code for a wait status: 128+n for signal n."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


_NAME = 15  # bytes of a process's short name
_ARG_START, _ARG_END = 45, 46  # places behind the name in /proc/PID/stat: proc_pid_stat(5)


def set_process_title(words: Sequence[str]) -> bool:
    """Show `words` as this process's command line, and the first as its name; whether it could.

    What does not fit into the room of the old command line is cut off.
    """
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 - pathlib is not worth its import
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
        room = end - start
        if start <= 0 or room < 2:
            return False
        text = b"\0".join(os.fsencode(word) for word in words)[: room - 1]
        memory = os.open("/proc/self/mem", os.O_RDWR | os.O_CLOEXEC)
        try:
            os.pwrite(memory, text.ljust(room, b"\0"), start)
        finally:
            os.close(memory)
        with open("/proc/self/comm", "wb", buffering=0) as file:  # noqa: PTH123 - as above
            file.write(os.fsencode(words[0])[:_NAME])
    except (OSError, IndexError, ValueError, OverflowError):
        return False
    return True
