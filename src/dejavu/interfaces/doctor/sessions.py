"""Sessions: what runs, and what the observers had to say."""

import time
from collections.abc import Iterator

from dejavu.config.paths import state_home
from dejavu.sessions.session_store import find_all

from .finding import Finding, Grade

_RECENT = 3 * 86400.0


def running() -> Iterator[Finding]:
    """How many sessions run, and which ended with something left out."""
    every = find_all()
    live = [seen for seen in every if seen.live]
    yield Finding(
        subject="sessions",
        grade=Grade.GOOD,
        told=f"{len(live)} running, {len(every) - len(live)} over",
        facts={"running": [seen.session.id for seen in live]},
    )
    for seen in every[:20]:
        if (
            not seen.live
            and seen.status.state != "exited"
            and seen.session.started_at > time.time() - _RECENT
        ):
            yield Finding(
                subject=f"session {seen.session.id}",
                grade=Grade.NOTE,
                told="ended without a last word: its wrapper or observer was killed",
                cure=f"`dejavu sync --agent {seen.session.agent}` reads what the agent itself "
                "kept; `dejavu doctor --fix-tty` or `reset` mends a terminal left raw",
            )


def observer_log() -> Iterator[Finding]:
    """Whether the observers' log holds faults of ours."""
    path = state_home() / "observer.log"
    if not path.exists():
        return
    tail = path.read_text("utf-8", "replace")[-20_000:]
    faults = tail.count("Traceback (most recent call last)")
    if faults:
        yield Finding(
            subject="observer log",
            grade=Grade.NOTE,
            told=f"{faults} faults of ours near the end of {path}",
            cure="please report them; the log names code, never what was on a screen",
        )
    else:
        yield Finding(subject="observer log", grade=Grade.GOOD, told=str(path))
