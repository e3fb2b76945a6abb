"""Versions: who can read and who can write is told apart, and nothing but `team upgrade` migrates."""

import json
from pathlib import Path

import pytest
from tests.drills.test_teams import Member
from tests.postgres import Server
from tests.team_rights import conversation

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_migrations import (
    NEWEST,
    OLDEST_WRITTEN,
    Versions,
    versions_of,
)
from dejavu.extensions.teams.postgres_team import Team, upgrade
from dejavu.model import ArchiveError, ArchiveUnavailableError, NewerFormatError


@pytest.mark.parametrize(
    ("comment", "versions"),
    [
        (None, (1, 1, 1)),
        ("dejavu schema 5", (5, 5, 5)),
        ("dejavu schema 7 readers 6 reached 9", (9, 6, 7)),
        (Versions(9, 6, 7).comment, (9, 6, 7)),
    ],
)
def test_the_comment_says_who_can(comment: str | None, versions: tuple[int, int, int]) -> None:
    assert versions_of(comment) == Versions(*versions)


def set_comment(server: Server, url: str, comment: str) -> None:
    schema = url.rpartition("%3D")[2]
    server.run(f"comment on table {schema}.dejavu_records is '{comment}'")


def reached(server: Server, url: str) -> int:
    schema = url.rpartition("%3D")[2]
    [(comment,)] = server.run(f"select obj_description('{schema}.dejavu_records'::regclass)")
    return versions_of(str(comment)).reached


def test_newer_programs_exclude_whom_they_must(server: Server, url: str) -> None:
    with Archive.open(url) as archive:
        archive.put(conversation("a", 2, "ann@box"))
    set_comment(server, url, Versions(NEWEST + 1, NEWEST, NEWEST).comment)  # an additive step
    with Archive.open(url) as archive:
        archive.put(conversation("b", 2, "ann@box"))
    set_comment(server, url, Versions(NEWEST + 1, NEWEST, NEWEST + 1).comment)
    with Archive.open(url) as archive:
        assert archive.get("b").turn_count == 2
        with pytest.raises(ArchiveUnavailableError, match="written only by newer ones"):
            archive.put(conversation("c", 2, "ann@box"))
    set_comment(server, url, Versions(NEWEST + 1, NEWEST + 1, NEWEST + 1).comment)
    with pytest.raises(NewerFormatError, match="update dejavu-capture"):
        Archive.open(url)


@pytest.mark.parametrize("older", [OLDEST_WRITTEN - 1, NEWEST - 1])
def test_nothing_migrates_but_an_upgrade(
    server: Server, url: str, tmp_path: Path, older: int
) -> None:
    with Archive.open(url) as archive:
        archive.put(conversation("a", 2, "ann@box"))
    set_comment(server, url, f"dejavu schema {older}")
    keeper = Member(tmp_path / "keeper", url)
    keeper.talk("how does the walrus sleep?")
    for command in ("list", "show last", "search 1", "stats"):
        keeper.run(*command.split())
    if older < OLDEST_WRITTEN:
        assert "team upgrade" in keeper.run("sync", code=4)
    else:
        keeper.run("sync")
    planned = json.loads(keeper.run("team", "upgrade", "--dry-run", "--json"))
    assert (planned["from"], planned["to"]) == (older, NEWEST)
    assert "create or replace function" in planned["sql"]
    assert reached(server, url) == older
    assert f"had {older} before" in keeper.run("team", "upgrade")
    assert reached(server, url) == NEWEST
    assert "already" in keeper.run("team", "upgrade")
    keeper.run("sync")
    with Archive.open(url) as archive:
        assert archive.maintenance.verify().faults == []


def test_only_the_keeper_upgrades(server: Server, url: str) -> None:
    Archive.open(url).close()
    login = f"owner_{url.rpartition('%3D')[2]}"
    team = Team(url)
    team.init()
    team.invite(login, "owner", None, None)
    team.close()
    set_comment(server, url, f"dejavu schema {NEWEST - 1}")
    try:
        with pytest.raises(ArchiveError, match="only the keeper"):
            upgrade(url.replace("//keeper@", f"//{login}@"), dry_run=False)
        assert reached(server, url) == NEWEST - 1
    finally:
        server.run(f"drop owned by {login}; drop role {login}")


def test_every_table_says_what_it_is_for(server: Server, url: str) -> None:
    Archive.open(url).close()
    schema = url.rpartition("%3D")[2]
    silent = server.run(
        f"select relname from pg_class where relnamespace = '{schema}'::regnamespace and relkind in "
        "('r', 'p') and not relispartition and obj_description(oid) is null"
    )
    assert silent == []
