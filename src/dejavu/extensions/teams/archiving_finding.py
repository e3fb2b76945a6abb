"""Whether this login can archive on a team's server, tried by a write that is taken back.

Nothing for an archive in a folder. Costs a connection and a few round trips, and at most two seconds of
waiting for the writer's place.
"""

from collections.abc import Iterator

from dejavu.archive.access import open_archive
from dejavu.config.paths import archive_location, is_server
from dejavu.config.settings import load_config, own_instance
from dejavu.interfaces.doctor.finding import Finding, Severity
from dejavu.model import ArchiveError, ArchiveLockedError, NotFoundError


def archiving() -> Iterator[Finding]:
    """Yield one finding; none without a server, or where `archive` said why it cannot be read."""
    if not is_server(archive_location()):
        return
    try:
        with open_archive() as opened:
            archive = opened.name
            writes = opened.writable
    except (ArchiveError, NotFoundError):  # `archive` says so
        return
    if not writes:
        yield Finding(
            subject="archiving", severity=Severity.WARNING,
            message=f"this login reads {archive} and archives nothing there",
            fix="ask an owner of the archive for `dejavu team grant LOGIN writer`",
        )  # fmt: skip
        return
    try:
        _rehearse()
    except ArchiveLockedError as error:
        yield Finding(
            subject="archiving", severity=Severity.WARNING, message=f"not tried: {error}",
            fix="run `dejavu doctor` again when the others are done",
        )  # fmt: skip
    except ArchiveError as error:
        yield Finding(
            subject="archiving", severity=Severity.ERROR,
            message=f"this login cannot archive a new workspace: {error}",
            fix="`dejavu team status` shows your rights; an owner of the archive gives others",
        )  # fmt: skip
    else:
        yield Finding(
            subject="archiving", severity=Severity.OK,
            message="a conversation in a new workspace was written and taken back",
        )  # fmt: skip


def _rehearse() -> None:
    from .postgres_backend import PostgresBackend  # needs the teams extra
    from .rehearsal import rehearse

    with open_archive() as opened:
        if isinstance(opened.backend, PostgresBackend):
            rehearse(opened.backend, own_instance(load_config()))
