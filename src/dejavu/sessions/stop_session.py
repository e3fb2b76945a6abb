"""Ending a wrapped agent, and what runs in its terminal's session or below it.

The wrapper gets SIGTERM and passes it on as it passes on every signal; the agent's other processes get
one of their own, since a launcher that waits for its child hands none on. What still runs gets what a
closed terminal sends: SIGHUP, and SIGCONT to wake it. That comes after half of the time, and at once
where only processes that ignore SIGTERM are left, as interactive shells do. It is repeated, for a shell
whose line editor is in the middle of a key takes only the second. SIGKILL is sent only on request. An
agent in a pane of a multiplexer is none of ours and is left alone. Bounded in time; a look costs
O(processes of this machine).
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from dejavu.model import CaptureError, NotFoundError

from .session_processes import (
    Process,
    agent_process,
    ignores_sigterm,
    members,
    send,
    session_of,
)  # fmt: skip
from .session_store import SessionView, load, touch, with_liveness

_AGAIN = 0.1  # seconds between two looks
_REPEATED = 0.5  # seconds between two hang-ups
_KILLED = 5.0  # seconds for what was killed to be gone
_NAMED = 10  # processes that are named


def stop(view: SessionView, *, timeout: float = 10.0, kill: bool = False) -> None:
    """End the session and all its processes; wait for it, at most `timeout` seconds.

    They get SIGTERM, and then SIGHUP and SIGCONT. kill: what runs after all of the time gets SIGKILL.

    Raises:
        NotFoundError: it has ended.
        CaptureError: it was not started by us, or something runs on; says which process.
    """
    name = view.label
    if view.session.source:
        raise CaptureError(f"{name} runs in a pane ({view.session.source}): close that instead")
    # By pid and start time: another process may have the number by now.
    if not with_liveness(view).live:
        raise NotFoundError(f"{name} {view.end}; `dejavu status` shows what runs")
    touch(view.folder, "stopped")
    look = _looks(view)
    running = look()
    with suppress(ProcessLookupError):
        os.kill(view.session.wrapper_pid, signal.SIGTERM)
    agent = _agent(view)
    send((one for one in running if one.pid != agent), signal.SIGTERM)
    if _ends(view, look, timeout, hang_up=True):
        return
    if kill:
        send(look(), signal.SIGKILL)
        if _ends(view, look, _KILLED):
            return
    raise CaptureError(_running_on(view, look(), timeout, kill=kill))


def _running_on(view: SessionView, running: list[Process], timeout: float, *, kill: bool) -> str:
    """What runs on, by name and number, and what ends it."""
    listed = ", ".join(map(str, running[:_NAMED])) or f"wrapper (pid {view.session.wrapper_pid})"
    problem = f"{view.label} did not end in {timeout:g} s; still running: {listed}"
    if kill:
        return f"{problem}; SIGKILL did not end it either"
    if with_liveness(view).live:
        return f"{problem}; `dejavu stop --kill {view.label}` ends it"
    return f"{problem}; `kill -9 {' '.join(str(one.pid) for one in running)}` ends it"


def _looks(view: SessionView) -> Callable[[], list[Process]]:
    """A function that says what runs of a session, found once and followed from then on."""
    wrapper, session = view.session.wrapper_pid, 0
    known: list[Process] = []

    def look() -> list[Process]:
        nonlocal session
        if not known and (agent := _agent(view)) is not None:
            session = session_of(agent, wrapper)
            known[:] = agent_process(agent, wrapper, session)
        if known:
            known[:] = members(session, known)
        return list(known)

    return look


def _agent(view: SessionView) -> int | None:
    now = load(view.folder)
    return None if now is None else now.session.agent_pid


def _ends(
    view: SessionView, look: Callable[[], list[Process]], seconds: float, *, hang_up: bool = False
) -> bool:
    """Whether all ends in time; what outlives SIGTERM is hung up meanwhile."""
    start = time.monotonic()
    due = start + _AGAIN  # what SIGTERM ends has had it by then
    while (running := look()) or with_liveness(view).live:
        now = time.monotonic()
        if now > start + seconds:
            return False
        late = now > start + seconds / 2
        if hang_up and now > due and (late or all(map(ignores_sigterm, running))):
            send(running, signal.SIGHUP, signal.SIGCONT)
            due = now + _REPEATED
        time.sleep(_AGAIN)
    return True
