"""The list of checks, in the order in which they run."""

from collections.abc import Callable, Iterator

from .agents import agents
from .archive import archive
from .archiving import archiving
from .finding import Finding, Severity
from .folders import folders
from .memory import memory
from .reading import reading
from .redaction import redaction
from .server import server
from .sessions import observer_log, running
from .settings import hook_limit, packs, settings
from .sources import sources, unread
from .spool import daemon_log, spool, unstored_lines
from .terminal import terminal
from .vectors import vectors

CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    folders,
    settings,
    hook_limit,
    packs,
    archive,
    server,
    archiving,
    agents,
    sources,
    unread,
    vectors,
    memory,
    running,
    reading,
    observer_log,
    spool,
    unstored_lines,
    daemon_log,
    redaction,
    terminal,
)


def run_checks(*, ask: bool = False) -> Iterator[Finding]:
    """Yield every finding of every check; with `ask` each agent is run for its version."""
    for check in CHECKS:
        try:
            yield from agents(ask=ask) if check is agents else check()
        except Exception as error:  # the doctor must get to the end
            yield Finding(
                subject=check.__name__.replace("_", " "),
                severity=Severity.ERROR,
                message=f"this check failed: {type(error).__name__}: {error}",
            )
