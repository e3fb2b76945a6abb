"""`dejavu acp --tap [OPTIONS] -- COMMAND`: an agent that speaks ACP, and a copy of what it said.

An editor starts this in the place of COMMAND and must not notice: bytes, signals, ends of streams
and the exit are COMMAND's own. It starts whatever happens to us: what fails before that, even an
import, ends in exec of COMMAND with one line on stderr. So only the standard library is imported
here, and on the way to the agent the capsule.

Tested in: tests/extensions/acp/test_tap.py
"""

import gc
import os
import resource
import signal
import sys
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from dejavu.interfaces.run import open_missing_descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dejavu.capsule import StdioRelay

_OPTIONS = ("--agent", "--workspace", "--instance")


class TapLine(NamedTuple):
    """A command line that was understood."""

    command: list[str]
    agent: str = ""
    workspace: str = ""
    instance: str = ""


def parse(arguments: Sequence[str]) -> TapLine | None:
    """Read the words behind `acp --tap`; None where they are not understood, or ask for help."""
    values: dict[str, str] = {}
    rest = [*arguments]
    while rest and rest[0].startswith("-") and rest[0] != "--":
        name, equals, value = rest.pop(0).partition("=")
        if name not in _OPTIONS or not (equals or rest):
            return None
        values[name[2:]] = value if equals else rest.pop(0)
    command = rest[1:] if rest[:1] == ["--"] else rest
    return TapLine(command, **values) if command else None


def main(line: TapLine) -> NoReturn:
    """Run the command to its end, and end as it ended."""
    open_missing_descriptors()
    status = _run(line)
    gc.freeze()  # or the interpreter looks for cycles in all of it before it ends
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the agent's own core is enough
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        sys.exit(128 + number)
    sys.exit(os.waitstatus_to_exitcode(status))


def _run(line: TapLine) -> int:
    """The command's wait status."""
    relay: StdioRelay | None = None
    try:
        from dejavu.capsule import SpawnError, exec_agent
    except Exception as error:
        _become(line.command, error)
    try:
        if os.environ.get("DEJAVU_CAPTURE", "").lower() in ("off", "0", "no"):
            exec_agent(line.command, os.environ)
        from .tap import relay_of

        relay = relay_of(
            line.command, agent=line.agent, workspace=line.workspace, instance=line.instance
        )
        relay.run()
    except SpawnError as error:
        _say(str(error))
        return 127 << 8
    except Exception as error:
        if relay is not None and relay.spawned:  # it must not run twice
            raise
        _become(line.command, error)
    return relay.status


def _become(command: list[str], error: Exception) -> NoReturn:
    """Become the command although we failed."""
    _say(f"nothing is kept, {type(error).__name__}: {error}")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, and so across exec
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - no shell: the program, exactly
    except OSError as reason:
        _say(f"cannot start {command[0]!r}: {reason.strerror}")
    sys.exit(127)


def _say(sentence: str) -> None:
    try:
        sys.stderr.write(f"dejavu acp: {sentence}\n")
        sys.stderr.flush()
    except (OSError, AttributeError):
        return
