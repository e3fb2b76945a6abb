"""Sessions that run or ended badly, faults in the observers' log, and how well screens are read."""

from collections.abc import Iterator

from dejavu.config.clock import now
from dejavu.config.files import read_regular_file
from dejavu.config.paths import state_home
from dejavu.config.settings import load_config
from dejavu.sessions import report_faults
from dejavu.sessions.observer.reading_check import reading_to_dict
from dejavu.sessions.reading_scores import load
from dejavu.sessions.serialize import UNOBSERVED
from dejavu.sessions.session_store import find_all

from .finding import Finding, Severity

_RECENT = 3 * 86400.0


def running() -> Iterator[Finding]:
    """Yield how many sessions run, and a warning for each that was killed."""
    every = find_all()
    live = [view for view in every if view.live]
    yield Finding(
        subject="sessions",
        severity=Severity.OK,
        message=f"{len(live)} running, {len(every) - len(live)} ended",
        facts={"running": [view.session.id for view in live]},
    )
    for view in live:
        if not view.observed:
            yield Finding(
                subject=f"session {view.label}",
                severity=Severity.ERROR,
                message=f"{UNOBSERVED}; the agent itself is not harmed",
                fix="end it and resume the conversation with the agent's own command under "
                f"dejavu-run; `dejavu sync --agent {view.session.agent}` imports what the agent keeps",
            )
    for view in every[:20]:
        if (
            not view.live
            and view.status.state != "exited"
            and view.session.started_at > now() - _RECENT
        ):
            yield Finding(
                subject=f"session {view.session.id}",
                severity=Severity.WARNING,
                message="ended without a final status; its wrapper or observer was killed",
                fix=f"`dejavu sync --agent {view.session.agent}` imports the agent's own session "
                "file; `dejavu doctor --fix-tty` or `reset` repairs the terminal",
            )


def observer_log() -> Iterator[Finding]:
    """Yield whether the observers' log holds internal errors."""
    path = state_home() / "observer.log"
    if not path.exists():
        return
    try:
        tail = read_regular_file(path)[-20_000:].decode("utf-8", "replace")
    except OSError as error:
        yield Finding(
            subject="observer log",
            severity=Severity.WARNING,
            message=f"{path}: {error.strerror}; nothing is written to it",
            fix="move it away",
        )
        return
    faults = tail.count("Traceback (most recent call last)")
    if faults:
        yield Finding(
            subject="observer log",
            severity=Severity.WARNING,
            message=f"{faults} internal errors near the end of {path}",
            fix="please report them; the log names code, never what was on a screen",
        )
    else:
        yield Finding(subject="observer log", severity=Severity.OK, message=str(path))


def reading() -> Iterator[Finding]:
    """Yield one finding an agent's version; a score below the bar is a warning."""
    for entry in load(load_config().capture.reading_bar):
        name = f"{entry.agent} {entry.version}".strip()
        score, turns = entry.score, entry.agreement.turns
        if score is None:
            message = f"{turns} turns compared, too few to judge by"
        else:
            message = f"score {score:.2f} over {turns} turns (the bar is {entry.bar:g})"
        fix = ""
        if entry.low:
            message += (
                "; so states come from hooks and processes, and turns from the screen are marked"
            )
            fix = f"`dejavu packs learn {entry.agent}` proposes rules; `dejavu init` adds hooks"
        yield Finding(
            subject=f"{name} screen",
            severity=Severity.WARNING if entry.low else Severity.OK,
            message=message,
            fix=fix,
            facts={"agent": entry.agent, **reading_to_dict(entry)},
        )
    for fault in report_faults.load():
        times = "once" if fault.times == 1 else f"{fault.times} times"
        yield Finding(
            subject=f"{fault.agent} {fault.version}".strip() + " reports",
            severity=Severity.OK,
            message=f"reported {fault.reported} while its screen showed {fault.read}, {times}",
            facts=fault._asdict(),
        )
