import pytest
from tests.postgres import Server

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import Team
from dejavu.extensions.teams.server_finding import server as check
from dejavu.interfaces.doctor.finding import Severity


def test_a_server_is_told_with_its_rights_and_extensions(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url(schema=server.new_schema())
    monkeypatch.setenv("DEJAVU_ARCHIVE", url)
    Archive.open(url).close()
    [finding] = check()
    assert (finding.severity, finding.facts["rights"]) == (Severity.WARNING, False)
    assert "dejavu team init" in finding.fix
    team = Team(url)
    team.init()
    known = {one.name for one in team.status().extensions}
    team.close()
    [finding] = check()
    assert finding.severity is Severity.OK
    assert set(finding.facts["extensions"]) == known
    assert "exact search without trigrams" in finding.message


def test_a_folder_has_no_server() -> None:
    assert list(check()) == []


def test_a_server_out_of_reach_is_told_by_the_archive_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DEJAVU_ARCHIVE", "postgresql://me@127.0.0.1:1/none?connect_timeout=1")
    assert list(check()) == []
