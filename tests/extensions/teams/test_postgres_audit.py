"""What was done to a team's archive as a whole is in its audit: restore, repair, migrate, redact, mask."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.postgres import Server
from tests.team_rights import Site, conversation, made_site, tried

from dejavu.archive.backends.audit import note_work
from dejavu.archive.maintenance.backup import restore
from dejavu.extensions.teams.postgres_retention import release_statement
from dejavu.extensions.teams.postgres_team import Team
from dejavu.interfaces.command_line.app import run


@pytest.fixture
def site(server: Server, url: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    assert home
    monkeypatch.setenv("DEJAVU_ARCHIVE", url)
    with made_site(server, url) as made:
        yield made


def lines(site: Site) -> list[tuple[str, str]]:
    team = Team(site.url)
    try:
        return [(line.action, line.login) for line in team.audit(9)]
    finally:
        team.close()


def test_a_restore_is_told_by_the_server_and_by_the_program(site: Site, tmp_path: Path) -> None:
    assert run(["archive", "backup", str(tmp_path / "copy")]) == 0
    team = Team(site.url)
    team.apply(release_statement("kept", None))
    team.close()
    restore(tmp_path / "copy", site.url)
    told = lines(site)
    assert ("restore", "keeper") in told
    assert ("replace all records", "keeper") in told


def test_a_migration_is_told(server: Server, site: Site) -> None:
    other = server.url(schema=server.new_schema())
    assert run(["archive", "migrate", site.url, other]) == 0
    team = Team(other)
    assert "migrate" in {line.action for line in team.audit(9)} or not team.status().rights
    team.close()
    schema = other.rpartition("%3D")[2]
    assert server.run(f"select action from {schema}.dejavu_audit where action = 'migrate'") == [
        ("migrate",)
    ]


def test_masking_is_told_and_nothing_else_can_be(site: Site) -> None:
    with site.archive(site.logins["writer"]) as archive:
        archive.put(conversation("of writer too", 1, "writer@box"))
        note_work(archive.backend, "mask secrets", "stored text", conversations=2)
    assert ("mask secrets", site.logins["writer"]) in lines(site)
    for login, action in (("reader", "redact"), ("owner", "grant reader")):
        said = tried(site, site.logins[login], f"select dejavu_note_work('{action}', 'x', null)")
        assert "may not note" in said
    with pytest.raises(psycopg.Error):
        site.psql(site.logins["owner"], "truncate dejavu_records")
