"""The server of a team's archive: its version, rights, holds, and which extensions it has.

Nothing for an archive in a folder. Costs a connection and six round trips.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from dejavu.config.paths import archive_location, is_server
from dejavu.interfaces.doctor.finding import Finding, Severity
from dejavu.model import DejavuError

if TYPE_CHECKING:  # needs the teams extra
    from .postgres_team import Status

_UNUSED = {
    "timescaledb": "months are partitions of plain PostgreSQL, and sums are kept by triggers",
    "citus": "an archive is on one server; give each department its own",
}
"""What is known to be on some servers, and what does its work instead."""


def server() -> Iterator[Finding]:
    """Yield what the server has; where it cannot be reached `archive` has said so."""
    url = archive_location()
    if not is_server(url):
        return
    from .postgres_team import Team  # needs the teams extra

    with suppress(DejavuError):
        team = Team(url)
        try:
            status = team.status()
        finally:
            team.close()
        facts = {
            "version": status.server, "schema": status.reached, "rights": status.rights,
            "holds": len(status.holds),
            "extensions": {one.name: one.installed for one in status.extensions},
        }  # fmt: skip
        yield Finding(
            subject="server",
            severity=Severity.OK if status.rights else Severity.WARNING,
            message="; ".join(_told(status)),
            fix=""
            if status.rights
            else "every login that reaches it may do everything: "
            "`dejavu team init` turns rights on",
            facts=facts,
        )


def _told(status: "Status") -> list[str]:
    """What there is to say of a server."""
    told = [f"PostgreSQL {status.server}, schema {status.reached}"]
    told.append(f"rights on, {len(status.members)} members" if status.rights else "rights off")
    if status.holds:
        told.append(f"{len(status.holds)} legal holds")
    told.append(
        "exact search by trigrams (pg_trgm)"
        if status.trigrams
        else "exact search without trigrams: `create extension pg_trgm`, then `dejavu team init`"
    )
    told.append(
        "recall by meaning (pgvector)"
        if status.meanings
        else "no recall by meaning: `create extension vector` (pgvector 0.8), then `dejavu team init`"
    )
    told += [
        f"{one.name} installed and not used: {_UNUSED[one.name]}"
        for one in status.extensions
        if one.installed and one.name in _UNUSED
    ]
    return told
