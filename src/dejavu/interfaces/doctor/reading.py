"""How well agents' screens are read, and which of their own reports their screens denied."""

from collections.abc import Iterator

from dejavu.config.settings import load_config
from dejavu.sessions import report_faults
from dejavu.sessions.observer.reading_check import reading_to_dict
from dejavu.sessions.reading_scores import load

from .finding import Finding, Severity


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
            message += "; states come from hooks and processes, turns of the screen are marked"
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
            message=f"said {fault.reported} while its screen showed {fault.read}, {times}",
            facts=fault._asdict(),
        )
