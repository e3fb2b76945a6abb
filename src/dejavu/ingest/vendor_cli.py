"""Asking an agent's own program for what it keeps elsewhere, with the operator's consent.

Takes an archive and an agent that can be asked; imports what its program gives and says what it
did. Nothing here runs unless the operator named the agent. Costs what the program takes, within
bounds of the provider's own.
"""

from collections.abc import Callable

from dejavu.archive import Archive
from dejavu.model import ProviderError
from dejavu.providers import CLI_EXPORTS, Home, Source

from .importer import Importer, Report


def ask(
    archive: Archive,
    agent: str,
    home: Home,
    *,
    progress: Callable[[Source, Report], None] | None = None,
) -> Report:
    """Import what the program of `agent` gives; one that gives nothing is `unreadable`."""
    provider = CLI_EXPORTS[agent]()
    with Importer(archive) as importer:
        try:
            for source in provider.discover(home):
                importer.read(provider, source)
                if progress is not None:
                    progress(source, importer.report)
        except (ProviderError, OSError) as error:
            importer.report.unreadable.append((agent, str(error)))
    return importer.report
