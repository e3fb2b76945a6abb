"""Memory's index of exchanges: what of the archive it could not take in."""

from collections.abc import Iterator

from dejavu.archive.access import open_archive
from dejavu.model import ArchiveError, NotFoundError
from dejavu.recall.history.index import FOLDER
from dejavu.recall.history.skipped import skipped

from .finding import Finding, Severity


def memory() -> Iterator[Finding]:
    """Yield a warning where exchanges are missing in the index."""
    try:
        with open_archive() as archive:
            missing = skipped(archive.root / FOLDER)
    except (NotFoundError, ArchiveError):
        return
    if missing:
        yield Finding(
            subject="memory",
            severity=Severity.WARNING,
            message=f"{len(missing)} exchanges could not be indexed, so `recall` does not find "
            f"them (`search` does); the last: {missing[-1]}",
            fix="please report that line: it names code, never what was said",
            facts={"skipped": missing},
        )
