"""The list of checks, in the order in which they run."""

from collections.abc import Callable, Iterator

from dejavu.config.extensions import parts
from dejavu.model import ConfigError

from .agents import agents
from .archive import archive, memory, vectors
from .capture import daemon_log, sources, spool, unread, unstored_lines, waiting_notes
from .finding import Finding, Severity
from .installation import (
    folders,
    hook_limit,
    hosts,
    packs,
    program_status,
    redaction,
    settings,
    terminal,
)
from .sessions import observer_log, reading, running

CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    folders,
    settings,
    hook_limit,
    packs,
    archive,
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
    waiting_notes,
    daemon_log,
    redaction,
    terminal,
    hosts,
    program_status,
)


def _checks() -> Iterator[Callable[[], Iterator[Finding]]]:
    """All checks; those of extensions follow what the archive says of itself."""
    for check in CHECKS:
        yield check
        if check is archive:
            for part in parts("findings"):
                yield from part.CHECKS


def run_checks(*, ask: bool = False) -> Iterator[Finding]:
    """Yield every finding of every check; with `ask` each agent is run for its version."""
    told: set[str] = set()
    for check in _checks():
        try:
            for finding in agents(ask=ask) if check is agents else check():
                told.add(finding.message)
                yield finding
        except ConfigError as error:  # as a rule the check of the settings has said it
            if str(error) not in told:
                yield Finding(
                    subject=check.__name__.replace("_", " "),
                    severity=Severity.ERROR,
                    message=str(error),
                )
        except Exception as error:  # the doctor must get to the end
            yield Finding(
                subject=check.__name__.replace("_", " "),
                severity=Severity.ERROR,
                message=f"this check failed: {type(error).__name__}: {error}",
            )
