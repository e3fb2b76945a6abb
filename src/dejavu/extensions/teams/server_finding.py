"""The server of a team's archive: its version, rights, holds, and which extensions it has.

Nothing for an archive in a folder. Costs a connection and six round trips.
"""

from collections.abc import Iterator
from contextlib import suppress

from dejavu.config.paths import archive_location, is_server
from dejavu.interfaces.doctor.finding import Finding, Severity
from dejavu.model import DejavuError


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
        told = [f"PostgreSQL {status.server}, schema {status.reached}"]
        told.append(f"rights on, {len(status.members)} members" if status.rights else "rights off")
        if status.holds:
            told.append(f"{len(status.holds)} legal holds")
        told.append(
            "exact search by trigrams (pg_trgm)"
            if status.trigrams
            else "exact search without trigrams: `create extension pg_trgm`, then `dejavu team init`"
        )
        names = [one.name for one in status.extensions if one.installed and one.name != "pg_trgm"]
        told += [f"{', '.join(names)} installed and not used"] if names else []
        yield Finding(
            subject="server",
            severity=Severity.OK if status.rights else Severity.WARNING,
            message="; ".join(told),
            fix=""
            if status.rights
            else "every login that reaches it may do everything: "
            "`dejavu team init` turns rights on",
            facts=facts,
        )
