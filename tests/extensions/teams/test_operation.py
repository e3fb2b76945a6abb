"""What an administrator meets: outages, revoked members, a full disk, backups by members, indexes."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest
from tests.postgres import Missing, Server
from tests.team_rights import Site, conversation, made_site

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.maintenance import copy_store
from dejavu.archive.maintenance.backup import restore
from dejavu.extensions.teams import postgres_attempts
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import (
    ArchiveError,
    ArchiveUnavailableError,
    HiddenTurnsError,
    Role,
    Span,
    Text,
    Turn,
    TurnUpdate,
)


@pytest.fixture
def own_server() -> Iterator[Server]:
    try:
        server = Server()
    except Missing as why:
        pytest.skip(str(why))
    yield server
    server.stop()


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


def test_who_comes_to_write_waits_for_the_server(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an open archive does; who only reads is told at once."""
    monkeypatch.setattr(postgres_attempts, "PATIENCE", 120.0)
    with Archive.open(own_server.url()) as archive:
        archive.put(conversation("before", 1, "ann@box"))
    own_server.kill()
    with pytest.raises(ArchiveUnavailableError, match="cannot be reached"):
        Archive.open(own_server.url(), create=False)
    starts = threading.Thread(target=own_server.start)
    starts.start()
    with Archive.open(own_server.url(), create=True) as archive:
        assert archive.get("before").turn_count == 1
    starts.join()


def test_a_revoked_member_is_told_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_attempts, "PATIENCE", 3_600.0)
    login = site.logins["writer"]
    with site.archive(login) as archive:
        site.server.run(
            f"alter role {login} nologin; "
            f"select pg_terminate_backend(pid) from pg_stat_activity where usename = '{login}'"
        )
        with pytest.raises(
            ArchiveUnavailableError, match="the login was taken away: ask its keeper"
        ):
            archive.put(conversation("late", 1, "writer@box"))
    with pytest.raises(ArchiveUnavailableError, match="refuses this login"):
        Archive.open(site.url_of(login), create=True)


def test_a_full_disk_of_the_server_is_told(site: Site) -> None:
    with psycopg.connect(site.url, autocommit=True) as keeper:
        keeper.execute(
            b"create function full_disk() returns trigger language plpgsql as $$ begin "
            b"raise exception 'could not extend file: No space left on device' "
            b"using errcode = 'disk_full'; end $$"
        )
        keeper.execute(
            b"create trigger full_disk before insert on dejavu_turns "
            b"for each row execute function full_disk()"
        )
        with site.archive(site.logins["writer"]) as archive:
            with pytest.raises(ArchiveUnavailableError, match="the server's disk is full"):
                archive.put(conversation("much", 1, "writer@box"))
            keeper.execute(b"drop trigger full_disk on dejavu_turns")
            archive.put(conversation("much", 1, "writer@box"))
            assert archive.get("much").turn_count == 1


def _share_logs(site: Site) -> None:
    """Session logs that several projects have in common, two of them private; turns lean on one."""
    raw = b"".join(b'{"a line": %d, "of": "a log"}\n' % n for n in range(400))
    places = {"open": "/w", "secret": "/secret", "vault": "/vault"}
    leaning = [
        TurnUpdate(
            msgspec.structs.replace(conversation(f"{name} leaning", 1, "bob@box", place), turns=()), 0,
            (Turn(role=Role.USER, parts=(Text(raw[at : at + 2_000].decode()),),
                  spans=(Span(at, 2_000),), at=1.7e9),),
            "leant on",
        )
        for at, (name, place) in zip((0, 2_000, 4_000), places.items(), strict=True)
    ]  # fmt: skip
    with Archive.open(site.url) as keeper:
        for name, place in places.items():
            keeper.put(conversation(name, 1, "bob@box", place))
        log = {"a log": [RawDelta(0, raw)]}
        keeper.commit(Batch(log, (), {}, {}, {"a log": list(places)}))
        keeper.commit(Batch({"leant on": log["a log"]}, leaning))
        assert keeper.maintenance.verify().clean
    team = Team(site.url)
    team.set_private("/vault", hidden=True)
    team.close()


@pytest.mark.parametrize("rank", ["reader", "writer", "curator", "owner", "other"])
def test_a_members_archive_and_backup_verify(site: Site, tmp_path: Path, rank: str) -> None:
    """Two private projects are hidden from them, and share a log with one that is not."""
    _share_logs(site)
    with site.archive(site.logins[rank]) as archive:
        ids = {one.id for one in archive.scan(side=True)}
        report = archive.maintenance.verify()
        assert (report.faults, report.partial) == ([], True)
        assert report.hidden == ["open", "open leaning"] * ("open leaning" in ids)
        if "open leaning" in ids:  # the turns are theirs, the log is not
            [turn] = archive.get("open leaning").turns
            assert turn.text.startswith('{"a line": 0, "of": "a log"}')
            assert len(turn.text) == 2_000
            with pytest.raises(HiddenTurnsError, match="open leaning: its session log is shared"):
                archive.sources.refuse_hidden("open leaning")
        archive.maintenance.backup(tmp_path / "copy")
    with Archive.open(tmp_path / "copy") as copy:
        assert copy.maintenance.verify().faults == []
        assert {one.id for one in copy.scan(side=True)} == ids - {"open leaning"}
    assert not ids & {"hidden", "vault", "secret"}


def test_what_a_member_may_restore(site: Site, tmp_path: Path) -> None:
    """Into a folder, what they could read. No member replaces the team's archive, nor their part of it."""
    whole, part, folder = (tmp_path / name for name in ("whole", "part", "folder"))
    with Archive.open(site.url) as keeper:
        keeper.maintenance.backup(whole)
    with site.archive(site.logins["owner"]) as archive:
        archive.maintenance.backup(part)
        with pytest.raises(ArchiveError, match="may not read all of the archive"):
            archive.backend.read(copy_store.archive_id)
    with pytest.raises(ArchiveError, match=r"only the keeper .* may replace it"):
        restore(whole, site.url_of(site.logins["owner"]))
    with pytest.raises(ArchiveError, match="holds what one member could read"):
        restore(part, site.url)
    restore(part, folder)
    with Archive.open(folder) as own:
        assert own.maintenance.verify().faults == []
    with Archive.open(site.url) as keeper:
        assert keeper.get("hidden").turn_count == 2


def test_a_curator_sweeps_nothing_that_is_of_others(site: Site) -> None:
    _share_logs(site)
    with site.archive(site.logins["curator"]) as archive:
        assert archive.maintenance.gc().orphans == 0
    with Archive.open(site.url) as keeper:
        assert keeper.maintenance.verify().clean


def test_the_index_of_exact_text_is_made_beside_readers_and_writers(
    own_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`team init` waits for no one who writes, and no one waits for it; a broken index is made again."""
    monkeypatch.setenv("DEJAVU_DATA_HOME", str(tmp_path))
    url = own_server.url()
    with Archive.open(url) as archive:
        archive.put(conversation("before", 3, "ann@box"))
    try:
        own_server.run("create extension pg_trgm")
    except psycopg.Error as why:
        pytest.skip(str(why))
    team = Team(url)
    try:
        ran = team.init()
        [month] = re.findall(r"create index concurrently \"(\w+)_trigrams", ran)
        [(whole,)] = own_server.run(
            "select indisvalid from pg_index where indexrelid = 'dejavu_parts_trigrams'::regclass"
        )
        assert whole is True
        assert "concurrently" not in team.init()
        own_server.run("drop index dejavu_parts_trigrams")
        own_server.run(
            f"create index {month}_trigrams on {month} (name)"
        )  # as an interrupted run left it
        assert "concurrently" in team.init()
        with Archive.open(url) as archive:
            archive.put(conversation("later", 2, "ann@box"))
            assert {hit.conversation for hit in archive.search("later 1", exact=True)} == {"later"}
        [(count,)] = own_server.run(
            "select count(*) from pg_inherits where inhparent = 'dejavu_parts_trigrams'::regclass"
        )
        [(months,)] = own_server.run(
            "select count(*) from pg_inherits where inhparent = 'dejavu_parts'::regclass"
        )
        assert count == months
    finally:
        team.close()
