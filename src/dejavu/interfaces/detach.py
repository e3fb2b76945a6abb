"""Running something in the background: a process without a terminal, which outlives its shell.

The one that starts it waits until the agent has started, or has not, and says which. Standard
library only; O(1).

Tested in: tests/interfaces/test_run.py
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

_MOST = 1 << 16  # bytes of what is said about a start
_CLOSED_FROM = 3  # stdin, stdout and stderr are the background's own


def detach(run: Callable[[Callable[[str, str], None]], int], *, say: Callable[[str], None]) -> int:
    """Run `run` in the background; the exit code for who asked: 0 once the session is started.

    run: gets a function to call with the session's id and name as soon as its agent runs, and
    returns an exit code. say: prints a sentence on stderr. The id and name go to stdout.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _become_background(reader, writer, run)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        message = pipe.read(_MOST)
    try:
        outcome: dict[str, Any] = json.loads(message.splitlines()[-1])
    except (ValueError, IndexError):
        say("the background process ended before its agent was started")
        return 1
    for sentence in message.decode("utf-8", "replace").splitlines()[:-1]:
        say(sentence.removeprefix("dejavu-run: "))
    if "session" not in outcome:
        return int(outcome["code"])
    name = outcome["name"]
    print(outcome["session"] if name == outcome["session"] else f"{outcome['session']}  {name}")
    return 0


def _become_background(
    reader: int, writer: int, run: Callable[[Callable[[str, str], None]], int]
) -> None:
    """Leave the terminal and its group, run, and end; report what is said until the start."""
    os.close(reader)
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(writer, 2)
    os.closerange(_CLOSED_FROM, os.sysconf("SC_OPEN_MAX"))
    code, told = 1, False

    def started(session: str, name: str) -> None:
        nonlocal told
        told = True
        _tell({"session": session, "name": name})
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 2)
        os.close(null)

    try:
        code = run(started)
    except Exception as error:  # no one else would tell
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    finally:
        if not told:
            _tell({"code": code})
        os._exit(code)


def _tell(outcome: dict[str, Any]) -> None:
    sys.stderr.flush()
    os.write(2, json.dumps(outcome).encode() + b"\n")
