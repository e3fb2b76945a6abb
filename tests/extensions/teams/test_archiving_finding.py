import psycopg
import pytest
from tests.postgres import Server
from tests.team_rights import Site, made_site

from dejavu.extensions.teams.archiving_finding import archiving
from dejavu.extensions.teams.postgres_team import Team
from dejavu.interfaces.doctor.archive import archive
from dejavu.interfaces.doctor.finding import Finding, Severity


@pytest.fixture
def url(server: Server) -> str:
    return server.url(schema=server.new_schema())


def found(site: Site, login: str, monkeypatch: pytest.MonkeyPatch, instance: str) -> Finding:
    monkeypatch.setenv("DEJAVU_ARCHIVE", site.url_of(login))
    monkeypatch.setenv("DEJAVU_INSTANCE", instance)
    [finding] = archiving()
    return finding


def rows(site: Site) -> list[list[tuple[object, ...]]]:
    """Everything that an archive holds, on the server."""
    return [
        site.server.run(f"select * from {site.schema}.{table} t order by t::text")
        for table in (
            "dejavu_records", "dejavu_workspaces", "dejavu_conversations", "dejavu_turns", "dejavu_sources",
            "dejavu_links", "dejavu_commits", "dejavu_instances",
        )
    ]  # fmt: skip


def test_each_member_is_told_whether_they_can_archive(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made_site(server, url) as site:
        logins = site.logins
        before = rows(site)
        for rank in ("writer", "curator", "owner"):
            told = found(site, logins[rank], monkeypatch, f"{rank}@box")
            assert told.severity is Severity.OK, told.message
        assert found(site, "keeper", monkeypatch, "keeper@box").severity is Severity.OK
        told = found(site, logins["reader"], monkeypatch, "reader@box")
        assert (told.severity, "reads" in told.message) == (Severity.WARNING, True)
        told = found(site, logins["writer"], monkeypatch, "bob@box")
        assert told.severity is Severity.ERROR
        assert "may not write conversations of this machine" in told.message
        assert rows(site) == before


def test_a_writer_of_one_workspace_alone_is_told_why_others_fail(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made_site(server, url) as site:
        team = Team(site.url)
        team.grant(site.logins["other"], "writer", "/elsewhere")
        team.close()
        told = found(site, site.logins["other"], monkeypatch, "other@box")
        assert told.severity is Severity.ERROR
        assert "may not make the workspace" in told.message
        assert "CONTEXT" not in told.message
        assert "HINT" not in told.message


def test_a_login_without_a_right_is_not_sent_to_repair(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made_site(server, url) as site:
        login = site.logins["stranger"]
        server.run(f"grant usage on schema {site.schema} to {login}")
        monkeypatch.setenv("DEJAVU_ARCHIVE", site.url_of(login))
        [told] = archive()
        assert "refuses this login" in told.message
        assert "nothing is known to be damaged" in told.fix


def test_a_busy_archive_is_not_called_broken(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made_site(server, url) as site, site.archive("keeper") as keeper:
        with keeper.backend.writer():
            told = found(site, site.logins["writer"], monkeypatch, "writer@box")
        assert told.severity is Severity.WARNING
        assert "not tried" in told.message


def test_a_broken_trigger_is_found(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the rehearsal is for: a fault of the server's that no list of rights shows."""
    with made_site(server, url) as site:
        with psycopg.connect(site.url, autocommit=True) as connection:
            connection.execute(
                b"create function broken() returns trigger language plpgsql as "
                b"$$begin raise exception 'no workspace today'; end$$"
            )
            connection.execute(
                b"create trigger broken before insert on dejavu_workspaces "
                b"for each row execute function broken()"
            )
        told = found(site, site.logins["writer"], monkeypatch, "writer@box")
        assert (told.severity, "no workspace today" in told.message) == (Severity.ERROR, True)


def test_a_folder_is_not_tried() -> None:
    assert list(archiving()) == []
