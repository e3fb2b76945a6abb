"""What an agent's own program keeps elsewhere, imported with the operator's consent.

Nothing here runs unless the operator named the agent. Costs what the program takes, within bounds
of the provider's own.
"""

from collections.abc import Callable

from dejavu.archive import Archive
from dejavu.providers import CLI_EXPORTS, Home, Source

from .importer import Importer
from .report import Report


def import_from_cli(
    archive: Archive,
    agent: str,
    home: Home,
    *,
    progress: Callable[[Source, Report], None] | None = None,
) -> Report:
    """Import what the program of `agent` prints; one that fails is `unreadable`."""
    provider = CLI_EXPORTS[agent]()
    with Importer(archive) as importer:
        for source in importer.discover(provider, home):
            importer.read(provider, source)
            if progress is not None:
                progress(source, importer.report)
    return importer.report
