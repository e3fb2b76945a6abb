"""Memory: exchanges its index could not take in, and conversations still without vectors."""

from collections.abc import Iterator

from dejavu.archive.access import open_archive
from dejavu.model import ArchiveError, NotFoundError
from dejavu.model.plural import counted
from dejavu.recall.history.embeddings import pending
from dejavu.recall.history.index import FOLDER
from dejavu.recall.history.skipped import skipped

from .finding import Finding, Severity


def memory() -> Iterator[Finding]:
    """Yield the state of the vectors, and a warning where exchanges are missing in the index."""
    try:
        with open_archive() as archive:
            missing = skipped(archive.root / FOLDER)
            without = pending(archive)
    except (NotFoundError, ArchiveError):
        return
    if without is not None:
        left = f"{counted(without, 'conversation')} without: words find them meanwhile"
        yield Finding(
            subject="sentence vectors", severity=Severity.OK,
            message=left if without else "up to date", facts={"conversations": without},
        )  # fmt: skip
    if missing:
        yield Finding(
            subject="memory",
            severity=Severity.WARNING,
            message=f"{len(missing)} exchanges could not be indexed, so `recall` does not find "
            f"them (`search` does); the last: {missing[-1]}",
            fix="please report that line: it names code, never what was said",
            facts={"skipped": missing},
        )
