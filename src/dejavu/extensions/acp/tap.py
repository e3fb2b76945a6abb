"""The tap itself: an agent that speaks the Agent Client Protocol, run with a copy of what passes.

Light imports only: this process owns the agent's stdin and stdout and only forwards. What cannot be
kept is noted in the observer's log, and the agent runs all the same.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from dejavu.capsule import ObserverProcess, StdioRelay
from dejavu.config.own_program import own_program
from dejavu.providers.registry import agent_of, command_of
from dejavu.sessions.observer_address import observer_log

OBSERVER = own_program(f"{__package__}.tap_observer")


def relay_of(
    argv: Sequence[str], *, agent: str = "", workspace: str = "", instance: str = ""
) -> StdioRelay:
    """The command, ready to run between our caller and a process that keeps what passes.

    The agent's name is read from its command where none is given; without `workspace` each session
    has the folder that the editor names.
    """
    command = command_of(argv)
    run = f"{os.getpid():x}-{os.urandom(8).hex()}"
    header = {
        "agent": agent or agent_of(argv),
        "run": run,
        "workspace": str(Path(workspace).expanduser().absolute()) if workspace else "",
        "instance": instance or os.environ.get("DEJAVU_INSTANCE", ""),
    }
    observer = ObserverProcess(OBSERVER, log=_log())
    return StdioRelay(command, os.environ, sinks=[observer], header=header)


def _log() -> str:
    try:
        return observer_log()
    except OSError:
        return os.devnull
