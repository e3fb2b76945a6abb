"""Who may do what: the server refuses every forbidden cell, through psql's protocol and the program."""

import re
from collections.abc import Iterator

import msgspec
import psycopg
import pytest
from tests.postgres import Server
from tests.team_rights import Site, conversation, made_site, program_matrix, psql_matrix

from dejavu.archive import Archive
from dejavu.extensions.teams import postgres_reader
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import DejavuError, Role, Text, Turn
from dejavu.recall import Memory, rationale


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    with made_site(server, url) as made:
        yield made


def test_every_forbidden_cell_is_refused_by_the_server(site: Site) -> None:
    wrong = [cell for cell in psql_matrix(site) if cell.wrong]
    assert not wrong, "\n".join(map(str, wrong))


def test_a_reader_elsewhere_sees_nothing_here(site: Site) -> None:
    login = site.logins["other"]
    assert site.psql(login, "select * from dejavu.conversations") == []
    assert site.psql(login, "select * from dejavu.turns") == []
    blocks = "select * from dejavu_records where key >= '\\x54' and key < '\\x55'"
    assert site.psql(login, blocks) == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        site.psql(site.logins["stranger"], "select * from dejavu.conversations")


def test_the_program_is_refused_in_words(site: Site) -> None:
    turns = f"select count(*) from {site.schema}.dejavu_turns where conversation = 1"
    before = site.server.run(turns)
    cells = program_matrix(site)
    wrong = [
        cell for cell in cells
        if cell.wrong or ("could not be used" in cell.said and "rights in docs" not in cell.said)
    ]  # fmt: skip
    assert not wrong, "\n".join(map(str, wrong))
    assert [cell for cell in cells if cell.said]
    assert before != [(0,)]
    with Archive.open(site.url) as keeper:
        assert keeper.maintenance.verify().faults == []


def test_exact_text_is_looked_for_as_the_member_and_by_this_machine_where_the_server_is_older(
    site: Site,
) -> None:
    def found(login: str) -> tuple[set[str], list[str]]:
        with site.archive(site.logins[login]) as archive:
            result = archive.search(" 1", exact=True)
            return {hit.conversation for hit in result}, result.notes

    everyones, notes = found("reader")
    assert {"others", "kept"} <= everyones
    assert "hidden" not in everyones
    assert "looked for by the server" in notes[0]
    assert found("other")[0] == set()
    site.server.run(
        f"drop function {site.schema}.dejavu_exact; "
        f"comment on table {site.schema}.dejavu_records is 'dejavu schema 4'"
    )
    assert found("reader") == (everyones, [])


def test_what_a_screen_reads_is_looked_up_by_index_for_a_member_too(site: Site) -> None:
    """Behind row-level security a condition with more than a column would read every record."""
    low = b"T" + bytes(8)
    statements: dict[str, tuple[object, ...]] = {
        postgres_reader._GET_SPANS: ([low], [low + b"\1"], [low + b"\2"]),
        postgres_reader._LISTING: (b"Od", b"Oe", 256),
        postgres_reader._GET_CONVERSATIONS: ([1, 2],),
    }
    with psycopg.connect(site.url_of(site.logins["reader"])) as connection:
        connection.execute(b"set local enable_seqscan = off")
        connection.execute(b"set local enable_mergejoin = off")
        for statement, values in statements.items():
            rows = connection.execute(f"explain {statement}".encode(), values).fetchall()
            plan = "\n".join(str(line) for (line,) in rows)
            scans = re.findall(r"Scan.* on dejavu_records.*\n *(.*)", plan)
            assert scans, plan
            assert all(one.startswith(("Index Cond", "Recheck Cond")) for one in scans), plan


def test_the_audit_says_who_deleted_and_who_changed(site: Site) -> None:
    with site.archive(site.logins["curator"]) as archive:
        archive.maintenance.prune(pattern="^others")
        [memory] = Memory(archive).list()
        Memory(archive).confirm(memory.id)
        Memory(archive).forget(memory.id)
    team = Team(site.url_of(site.logins["owner"]))
    team.grant(site.logins["reader"], "none", None)
    lines = {(line.login, line.action, line.object) for line in team.audit(50)}
    status = team.status()
    team.close()
    curator, owner = site.logins["curator"], site.logins["owner"]
    assert (curator, "delete conversation", "others") in lines
    assert (curator, "change memory", memory.id) in lines
    assert (curator, "delete memory", memory.id) in lines
    assert (owner, "delete member", site.logins["reader"]) in lines
    hidden = ("keeper", "make private", "/secret")
    assert hidden not in lines  # the owner of the rest has no right there
    keeper = Team(site.url)
    assert hidden in {(line.login, line.action, line.object) for line in keeper.audit(50)}
    keeper.close()
    assert status.rights
    assert site.logins["reader"] not in {member.role for member in status.members}
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        site.psql(site.logins["reader"], "select * from dejavu.turns")


def test_a_private_workspace_is_its_members_alone(site: Site) -> None:
    reader = site.logins["reader"]
    with site.archive(reader) as archive:
        assert {one.id for one in archive.scan()} == {
            "others", "kept", "of writer", "of curator", "of owner",
        }  # fmt: skip
        with pytest.raises(DejavuError):
            archive.get("hidden")
        with pytest.raises(DejavuError):
            list(archive.sources.raw("h"))
    team = Team(site.url)
    team.grant(reader, "reader", "/secret")
    with site.archive(reader) as archive:
        assert archive.get("hidden").turn_count == 2
    team.init()  # again changes nothing
    assert len([m for m in team.status().members if m.role == reader]) == 2
    team.close()


def test_every_record_carries_its_workspace(site: Site) -> None:
    """So a member's rights are looked up once; it follows conversations and sources that move."""
    wrong = (
        f"select encode(r.key, 'escape') from {site.schema}.dejavu_records r "
        f"where r.workspace is distinct from {site.schema}.dejavu_place_of_key(r.key)"
    )
    places = (
        f"select distinct w.name from {site.schema}.dejavu_records r "
        f"join {site.schema}.dejavu_workspaces w on w.id = r.workspace order by 1"
    )
    assert site.server.run(wrong) == []
    assert site.server.run(places) == [("/secret",), ("/w",)]
    with site.archive(site.logins["owner"]) as archive:
        moved = archive.get("others")
        archive.put(msgspec.structs.replace(moved, workspace="/elsewhere"))
    assert site.server.run(wrong) == []
    assert site.server.run(places) == [("/elsewhere",), ("/secret",), ("/w",)]
    with site.archive(site.logins["other"]) as archive:  # may read /elsewhere alone
        assert archive.get("others").turn_count == 2
        assert b"".join(archive.sources.raw("s")) == b"raw"
        assert [one.id for one in archive.scan()] == ["others"]
    [(number,)] = site.server.run(
        f"select id from {site.schema}.dejavu_workspaces where name = '/secret'"
    )
    site.psql("keeper", f"update dejavu_conversations set workspace = {number} where id = 'others'")
    assert site.server.run(wrong) == []
    with site.archive(site.logins["other"]) as archive:
        assert list(archive.scan()) == []
        assert list(archive.backend.read(lambda txn: list(txn.items("raw")))) == []


def test_records_without_a_conversation_are_for_curators(site: Site) -> None:
    """A summary that cannot be read is left out of the relations; its records are there."""
    site.psql("keeper", "delete from dejavu_conversations where id = 'others'")
    rows = (
        "select count(*) from dejavu_records where get_byte(key, 0) in (72, 78, 84) "
        "and workspace is null"
    )
    site.psql(
        "keeper",
        "update dejavu_records set workspace = null where get_byte(key, 0) in (72, 78, 84)",
    )
    assert site.psql(site.logins["curator"], rows) == [(3,)]
    for who in ("reader", "writer", "other"):
        assert site.psql(site.logins[who], rows) == [(0,)]


def test_a_rationale_goes_with_its_conversation(site: Site) -> None:
    why = "We chose the slower index because the faster one loses rows when the disk is full. " * 2
    turns = (Turn(role=Role.ASSISTANT, parts=(Text(why),), at=1.7e9),)
    with Archive.open(site.url) as keeper:
        for name in ("explained", "explained2"):
            keeper.put(conversation(name, 0, "bob@box").with_turns(turns))
        assert rationale.explain(keeper, conversations=["explained", "explained2"]).written == 2
    with site.archive(site.logins["curator"]) as archive:
        archive.maintenance.prune(only=("explained",))
    with Archive.open(site.url) as keeper:
        assert rationale.written(keeper, "explained2")
        left = keeper.backend.read(
            lambda txn: list(txn.keys("namespaces", b"rationale\0explained"))
        )
        assert len(left) == 1
