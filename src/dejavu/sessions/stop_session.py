"""Ending a wrapped agent: the wrapper is told, and passes it on as it passes on every signal.

An agent in a pane of a multiplexer is none of ours and is left alone. O(1), bounded in time.
"""

import os
import signal
import time

from dejavu.model import CaptureError, NotFoundError

from .session_store import SessionView, refreshed

_AGAIN = 0.05  # seconds between two looks


def stop(view: SessionView, *, timeout: float = 10.0) -> None:
    """Send the session SIGTERM and wait for its end, at most `timeout` seconds.

    Raises:
        NotFoundError: it has ended.
        CaptureError: it was not started by us, or runs on.
    """
    name = view.session.id
    if view.session.source:
        raise CaptureError(f"{name} runs in a pane ({view.session.source}): close that instead")
    # By pid and start time: another process may have the number by now.
    if not refreshed(view).live:
        raise NotFoundError(f"{name} {view.end}; `dejavu status` shows what runs")
    os.kill(view.session.wrapper_pid, signal.SIGTERM)
    end = time.monotonic() + timeout
    while refreshed(view).live:
        if time.monotonic() > end:
            raise CaptureError(f"{name} was told to end, and runs on after {timeout:g} s")
        time.sleep(_AGAIN)
