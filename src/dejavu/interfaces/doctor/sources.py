"""Sources (session files, vendors' stores) that failed when last read, and stores that are not read."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import datetime

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.instance import own_instance
from dejavu.config.paths import is_server
from dejavu.config.settings import load_config
from dejavu.ingest.silent_stores import silent_stores
from dejavu.ingest.source_failures import SourceFailure, long_records, reason_alone, source_failures
from dejavu.model import ArchiveError, NotFoundError
from dejavu.providers import Home, agents

from .finding import Finding, Severity

_MAX_SHOWN = 5  # sources with a finding of their own; the facts of the last one name the rest


def sources() -> Iterator[Finding]:
    """Yield one finding for each source that fails; nothing where none does. O(failures)."""
    try:
        with open_archive() as archive:
            failures, long = source_failures(archive), long_records(archive)
    except (NotFoundError, ArchiveError):
        return  # the archive's own check says so
    yield from map(_finding, failures[:_MAX_SHOWN])
    rest = failures[_MAX_SHOWN:]
    if rest:
        yield Finding(
            subject="sources", severity=Severity.WARNING,
            message=f"{len(rest)} more sources could not be imported",
            fix="`dejavu doctor --json` names them",
            facts={"sources": [{"agent": each.agent, "path": each.name} for each in rest]},
        )  # fmt: skip

    for record in long[:_MAX_SHOWN]:
        yield Finding(
            subject=f"{record.agent} source", severity=Severity.WARNING,
            message=f"{record.name}: {record.reason}",
            fix="raise `longest_line` under [sync] in config.toml, then `dejavu archive reparse`",
            facts={"agent": record.agent, "path": record.name, "last": record.last},
        )  # fmt: skip


def unread() -> Iterator[Finding]:
    """Yield one finding for what is in this home and gave no conversation. O(sources).

    With an archive on a server only the files are looked at: a round trip a source takes too long.
    """
    home = Home.own(own_instance(load_config()))
    with ExitStack() as stack:
        archive: Archive | None = None
        with suppress(NotFoundError, ArchiveError):  # the archive's own check says so
            archive = stack.enter_context(open_archive())
            stack.enter_context(archive.view())
        failed: set[str] = (
            set() if archive is None else {each.name for each in source_failures(archive)}
        )
        local = archive if archive is not None and not is_server(archive.name) else None
        found = [one for one in silent_stores(local, home) if str(one.path) not in failed]
    if found:
        titles = ", ".join(sorted({agents()[one.agent].title for one in found}))
        stores = [
            {"title": agents()[one.agent].title, "path": str(one.path), "reason": one.reason}
            for one in found
        ]
        yield Finding(
            subject="unread stores", severity=Severity.WARNING,
            message=f"history that this version does not read: {titles}",
            fix="keep these folders; `dejavu init --upgrade` may know more of them",
            facts={"stores": stores},
        )  # fmt: skip


def _finding(failure: SourceFailure) -> Finding:
    first = datetime.fromtimestamp(failure.first).astimezone().strftime("%Y-%m-%d %H:%M")
    times = "" if failure.count == 1 else f", {failure.count} times since {first}"
    return Finding(
        subject=f"{failure.agent} source", severity=Severity.WARNING,
        message=f"{failure.name} could not be imported{times}: {reason_alone(failure.name, failure.reason)}",
        fix=f"`dejavu -v sync --agent {failure.agent}` tries again and shows where it fails",
        facts={
            "agent": failure.agent, "path": failure.name, "reason": failure.reason,
            "first": failure.first, "last": failure.last, "count": failure.count,
        },
    )  # fmt: skip
