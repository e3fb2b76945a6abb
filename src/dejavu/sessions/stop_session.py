"""Ending a wrapped agent: the wrapper is told, and passes it on as it passes on every signal.

An agent in a pane of a multiplexer is none of ours and is left alone. O(1), bounded in time.
"""

import os
import signal
import time
from contextlib import suppress

from dejavu.model import CaptureError, NotFoundError

from .session_store import SessionView, load, refreshed

_AGAIN = 0.05  # seconds between two looks
_KILLED = 5.0  # seconds for the wrapper to see that its agent is gone


def stop(view: SessionView, *, timeout: float = 10.0, kill: bool = False) -> None:
    """Send the session SIGTERM and wait for its end, at most `timeout` seconds.

    kill: an agent that runs on then gets SIGKILL.

    Raises:
        NotFoundError: it has ended.
        CaptureError: it was not started by us, or runs on.
    """
    name = view.label
    if view.session.source:
        raise CaptureError(f"{name} runs in a pane ({view.session.source}): close that instead")
    # By pid and start time: another process may have the number by now.
    if not refreshed(view).live:
        raise NotFoundError(f"{name} {view.end}; `dejavu status` shows what runs")
    os.kill(view.session.wrapper_pid, signal.SIGTERM)
    if _ends(view, timeout):
        return
    now = load(view.folder)
    agent = None if now is None else now.session.agent_pid
    if kill and agent is not None:
        with suppress(ProcessLookupError):
            os.kill(agent, signal.SIGKILL)
        if _ends(view, _KILLED):
            return
    cure = "it was killed, too" if kill else f"--kill ends it (its process is {agent})"
    raise CaptureError(f"{name} was told to end, and runs on after {timeout:g} s; {cure}")


def _ends(view: SessionView, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while refreshed(view).live:
        if time.monotonic() > end:
            return False
        time.sleep(_AGAIN)
    return True
