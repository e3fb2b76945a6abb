"""Rights of what is inside: folders below a private workspace, and records that are about a source."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.postgres import Server
from tests.team_rights import Site, conversation, made_site, tried

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.extensions.teams.postgres_team import Team
from dejavu.ingest.channel import known_machines, load_session_log, put_many, save_session_logs
from dejavu.ingest.source_failures import (
    Drift,
    Key,
    SourceFailures,
    last_scans,
    record_scan,
    seen_schemas,
    source_failures,
)
from dejavu.model import ArchiveError, DejavuError
from dejavu.providers import Kind, Source
from dejavu.recall.injection_log import WaitingInjection, audit, store_injection

_KEYS = "select encode(key, 'escape') from dejavu_records where get_byte(key, 0) = 86"


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


def log(member: str, folder: str) -> Source:
    path = Path(f"/home/{member}/.claude/projects/{folder.replace('/', '-')}/{member}.jsonl")
    return Source("claude", path, f"{member}@box", Kind.APPEND, native_id=f"{folder} {member}")


def sync(archive: Archive, source: Source, name: str, workspace: str) -> None:
    """Archive a session as a sync does: what its log is, then its raw and turns."""
    save_session_logs(archive, [source])
    archive.put(conversation(name, 1, source.instance, workspace))
    archive.commit(Batch({source.key: [RawDelta(0, b"raw")]}, (), {}, {}, {source.key: [name]}))


def everything(site: Site, login: str) -> str:
    rows = site.psql(
        login, "select encode(key, 'escape') || encode(value, 'escape') from dejavu_records"
    )
    return "\n".join(str(row) for (row,) in rows)


def test_the_log_of_a_private_session_is_for_who_may_read_it(site: Site) -> None:
    """Its record names the path, the session and the home folder."""
    with Archive.open(site.url) as keeper:
        sync(keeper, log("bob", "/secret"), "log hidden", "/secret")
        sync(keeper, log("bob", "/w"), "log open", "/w")
        put_many(keeper, "verdicts", {b"log hidden": b"x", b"log open": b"y"})
        failures = SourceFailures(keeper)
        failures.record("claude", "/home/bob/-secret/broken.jsonl", "it broke")
        failures.save(1.0)
        given = WaitingInjection(
            at=1.0, session="s", workspace="/secret", size=1, items=(("a", 1.0),)
        )
        store_injection(keeper, given)
    for rank in ("reader", "writer", "curator", "owner", "other"):
        seen = everything(site, site.logins[rank])
        assert "-secret" not in seen
        assert "Vverdicts\\000log hidden" not in seen
        assert "/secret" not in seen
        assert ("/home/bob/.claude/projects/-w/" in seen) == (rank != "other")
    team = Team(site.url)
    team.grant(site.logins["other"], "reader", "/secret")
    team.close()
    with site.archive(site.logins["other"]) as archive:
        known = load_session_log(archive, log("bob", "/secret").key)
        assert known is not None
        assert known.path == log("bob", "/secret").path
        assert source_failures(archive) == []
    with Archive.open(site.url) as keeper:
        assert [one.name for one in source_failures(keeper)] == []  # the file is not here
        assert [one.workspace for one in audit(keeper)] == ["/secret"]


def test_a_session_log_follows_its_conversation(site: Site) -> None:
    with site.archive(site.logins["writer"]) as archive:
        sync(archive, log("writer", "/w"), "of writer 2", "/w")
    assert "-w/writer.jsonl" in everything(site, site.logins["reader"])
    assert "-w/writer.jsonl" not in everything(site, site.logins["other"])
    team = Team(site.url)
    team.set_private("/w", hidden=True)
    team.close()
    assert "-w/writer.jsonl" not in everything(site, site.logins["reader"])
    with site.archive(site.logins["writer"]) as archive:  # its own writer continues it
        save_session_logs(archive, [log("writer", "/w")])


def test_a_source_of_two_workspaces_hides_with_the_one_that_is_hidden(site: Site) -> None:
    with Archive.open(site.url) as keeper:
        keeper.put(conversation("elsewhere", 1, "bob@box", "/later"))
        keeper.commit(
            Batch({"both": [RawDelta(0, b"raw")]}, (), {}, {}, {"both": ["others", "elsewhere"]})
        )
    with site.archive(site.logins["reader"]) as archive:
        assert list(archive.sources.raw("both")) == [b"raw"]
        team = Team(site.url)
        team.set_private("/later", hidden=True)
        team.close()
        with pytest.raises(DejavuError):
            list(archive.sources.raw("both"))


def test_no_writer_changes_the_log_or_the_machine_of_another(site: Site) -> None:
    with Archive.open(site.url) as keeper:
        sync(keeper, log("bob", "/w"), "log open", "/w")
    with site.archive(site.logins["curator"]) as archive:
        sync(archive, log("curator", "/w"), "log of curator", "/w")
    writer = site.logins["writer"]
    start = "encode(key, 'escape') like"
    for key in ("Vsources%", "Vmachines%bob@box", "Vmachines%curator@box"):
        for change in (
            "update dejavu_records set value = 'x' where",
            "delete from dejavu_records where",
        ):
            assert tried(site, writer, f"{change} {start} '{key}'") != "", (change, key)
    [(forged,)] = site.psql(writer, f"{_KEYS} and {start} 'Vsources%' limit 1")
    insert = f"insert into dejavu_records (key, value) values (decode('{forged}', 'escape'), 'x')"
    assert (
        tried(site, writer, insert + " on conflict (key) do update set value = excluded.value")
        != ""
    )
    with site.archive(writer) as archive, pytest.raises(DejavuError):
        archive.namespace("sources").delete(log("bob", "/w").key.encode())
    with site.archive(writer) as archive:
        sync(archive, log("writer", "/w"), "log of writer", "/w")
        save_session_logs(archive, [log("writer", "/w")])


def test_a_source_of_the_same_name_opens_no_log(site: Site) -> None:
    with Archive.open(site.url) as keeper:
        sync(keeper, log("bob", "/secret"), "log hidden", "/secret")
        keeper.maintenance.prune(only=("log hidden",))
    key = log("bob", "/secret").key
    site.psql(
        site.logins["writer"],
        f"insert into dejavu_sources (number, hash, name, generation, length) values (-7, 'x', '{key}', 0, 0)",
    )
    assert key not in everything(site, site.logins["writer"])


def test_damaged_counters_stop_nobody(site: Site) -> None:
    """Any writer may write them, so a value that cannot be read is taken for none."""
    spoil = "update dejavu_records set value = 'x' where encode(key, 'escape') similar to 'V(looks|drift)%'"
    with Archive.open(site.url) as keeper:
        record_scan(keeper, {"claude": 1}, 1.0)
        drift = Drift()
        drift.observe(Key("claude", "1"), {"a": 1}, ["b"])
        drift.save(keeper, 1.0)
    assert tried(site, site.logins["writer"], spoil) == ""
    site.psql(site.logins["writer"], spoil)
    with site.archive(site.logins["curator"]) as archive:
        assert last_scans(archive) == {}
        assert seen_schemas(archive) == {}
        record_scan(archive, {"claude": 2}, 2.0)
        drift.observe(Key("claude", "1"), {"a": 1}, ["b"])
        drift.save(archive, 2.0)
        assert last_scans(archive)["claude"].sources == 2
        assert seen_schemas(archive)[Key("claude", "1")].first == 2.0


def test_each_member_counts_their_own_failures(site: Site, tmp_path: Path) -> None:
    """The same path fails on two machines; neither keeps the other from noting it."""
    broken = tmp_path / "broken.jsonl"
    broken.write_text("x")
    for rank in ("writer", "curator"):
        for now in (1.0, 2.0):
            with site.archive(site.logins[rank]) as archive:
                failures = SourceFailures(archive)
                failures.record("claude", str(broken), rank)
                failures.save(now)
    for rank in ("writer", "curator"):
        with site.archive(site.logins[rank]) as archive:
            assert [(one.reason, one.count) for one in source_failures(archive)] == [(rank, 2)]
            failures = SourceFailures(archive)
            failures.clear("claude", str(broken))
            failures.save(3.0)
            assert source_failures(archive) == []


def test_folders_below_a_private_workspace_are_private(site: Site) -> None:
    team = Team(site.url)
    team.grant(site.logins["writer"], "writer", "/secret")
    instance = "writer@box"
    with site.archive(site.logins["writer"]) as archive:
        for name, workspace in (
            ("below", "/secret/jan"), ("slash", "/secret/"), ("deep", "/secret/jan/1"),
            ("beside", "/secrets"), ("case", "/Secret"),
        ):  # fmt: skip
            archive.put(conversation(name, 1, instance, workspace))
    shown = "select id from dejavu_conversations where id in ('below', 'slash', 'deep', 'beside', 'case')"
    for rank in ("reader", "curator", "owner"):
        assert {one for (one,) in site.psql(site.logins[rank], shown)} == {"beside", "case"}
    assert len(site.psql(site.logins["writer"], shown)) == 5
    team.grant(site.logins["reader"], "reader", "/secret")
    assert len(site.psql(site.logins["reader"], shown)) == 5
    team.grant(site.logins["reader"], "none", "/secret")
    with site.archive(site.logins["curator"]) as archive, pytest.raises(ArchiveError):
        archive.put(conversation("intruder", 1, "curator@box", "/secret/feb"))
    assert (
        tried(site, site.logins["owner"], "select dejavu_set_private('/secret/jan', false)") != ""
    )
    team.set_private("/secret", hidden=False)
    assert len(site.psql(site.logins["reader"], shown)) == 5
    team.set_private("/secret", hidden=True)  # what is there already follows
    assert {one for (one,) in site.psql(site.logins["reader"], shown)} == {"beside", "case"}
    team.close()


def test_the_owner_of_one_folder_hides_no_folder_of_others_below_it(site: Site) -> None:
    team = Team(site.url)
    team.grant(site.logins["other"], "owner", "/")
    team.close()
    said = tried(site, site.logins["other"], "select dejavu_set_private('/', true)")
    assert "may not make a project private" in said
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        site.psql(site.logins["other"], "select dejavu_place_workspaces()")


def test_a_private_folder_inside_a_private_one_has_its_own_members(site: Site) -> None:
    team = Team(site.url)
    team.set_private("/secret/inner", hidden=True)
    team.grant(site.logins["writer"], "writer", "/secret")
    ranks = (
        f"select {site.schema}.dejavu_rank('{site.logins['writer']}', id) from {site.schema}.dejavu_workspaces "
        "where name = '/secret/inner'"
    )
    assert site.psql(site.logins["writer"], ranks) == []
    team.set_private("/secret", hidden=False)
    team.set_private("/", hidden=True)
    private = "select name from dejavu_workspaces where private and inside is null order by 1"
    assert site.psql("keeper", private) == [("/",), ("/secret/inner",)]
    assert site.psql(site.logins["reader"], "select id from dejavu_conversations") == []
    team.close()


def test_machines_are_known_to_all(site: Site) -> None:
    with site.archive(site.logins["writer"]) as archive:
        sync(archive, log("writer", "/w"), "log of writer", "/w")
        assert "writer@box" in known_machines(archive)
