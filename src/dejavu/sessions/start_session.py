"""Starting an agent detached from another program: `dejavu run --detach` in a separate process.

Waits until the agent runs or could not be started; bounded in time.

Tested in: tests/interfaces/tui/test_live.py
"""

import re
import subprocess
from collections.abc import Sequence

from dejavu.config.own_program import own_program
from dejavu.model import CaptureError, InvalidValueError

from .session_store import SessionView, find

_MOST = 30.0  # seconds that a start may take
_NO_PROGRAM = 127  # as shells say it
_OPTION = re.compile(r"^.*?error: argument --([a-z]+): ")  # argparse's words for a field of ours


def start(
    command: Sequence[str],
    *,
    name: str | None = None,
    workspace: str | None = None,
    size: str | None = None,
    screen: bool | None = None,
) -> SessionView:
    """Start `command` wrapped in the background and return its session.

    workspace: the folder it runs in. size: such as `120x40`.

    Raises:
        InvalidValueError: an argument is none.
        CaptureError: it could not be started.
    """
    if not command or not command[0]:
        raise InvalidValueError("command: name the agent to run")
    options = [f"--name={name}"] if name is not None else []
    options += [f"--size={size}"] if size is not None else []
    options += [] if screen is None else ["--screen" if screen else "--no-screen"]
    # The module that the command runs, so that one entry point describes a session.
    words = own_program("dejavu.interfaces.run", "--detach", *options, "--", *command)
    try:
        done = subprocess.run(
            words, cwd=workspace, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", timeout=_MOST,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        raise InvalidValueError(f"workspace: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise CaptureError(f"{command[0]} did not start in {_MOST:g} s") from error
    reason = done.stderr.strip().replace("dejavu-run: ", "")
    if done.returncode == _NO_PROGRAM:
        raise InvalidValueError(f"command: {reason}")
    if done.returncode == 2:
        last = reason.splitlines()[-1] if reason else "no such option"
        raise InvalidValueError(_OPTION.sub(r"\1: ", last))
    if done.returncode or not done.stdout.split():
        raise CaptureError(reason or f"{command[0]} did not start")
    return find(done.stdout.split()[0])
