"""The list of checks, in the order they are shown."""

from collections.abc import Callable, Iterator

from .agents import agents
from .archive import archive
from .finding import Finding, Grade
from .folders import folders
from .redaction import redaction
from .sessions import observer_log, running
from .settings import packs, settings
from .spool import daemon_log, spool
from .terminal import terminal
from .vectors import vectors

CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    folders,
    settings,
    packs,
    archive,
    agents,
    vectors,
    running,
    observer_log,
    spool,
    daemon_log,
    redaction,
    terminal,
)


def examine(*, ask: bool = False) -> Iterator[Finding]:
    """Every finding of every check; `ask` lets agents be run for their version."""
    for check in CHECKS:
        try:
            yield from agents(ask=ask) if check is agents else check()
        except Exception as error:  # the doctor must get to the end
            yield Finding(
                subject=check.__name__.replace("_", " "),
                grade=Grade.BAD,
                told=f"could not be looked at: {type(error).__name__}: {error}",
            )
