"""Who may do what: the server refuses every forbidden cell, through psql's protocol and the program."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import psycopg
import pytest
from tests.postgres import Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.backends import postgres_migrations as migrations
from dejavu.archive.backends.postgres_backend import PostgresBackend
from dejavu.archive.backends.postgres_team import RANKS, Team
from dejavu.archive.keys import TABLES, number_key
from dejavu.model import ArchiveError, Conversation, DejavuError, Role, Text, Turn
from dejavu.recall import Memory


class Site(NamedTuple):
    """A team's archive: the keeper's URL, its schema, and a login of each rank."""

    server: Server
    url: str
    schema: str
    views: str
    logins: dict[str, str]

    def url_of(self, login: str) -> str:
        return self.url.replace("//keeper@", f"//{login}@")

    def psql(self, login: str, statement: str) -> list[tuple[object, ...]]:
        """The rows of a statement, run as a login in one transaction."""
        statement = statement.replace("dejavu.", f"{self.views}.")
        with psycopg.connect(self.url_of(login)) as connection:
            connection.execute(b"set local dejavu.program = 2")
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def archive(self, login: str) -> Archive:
        """The archive as the program opens it on another machine."""
        backend = PostgresBackend(self.url_of(login), create=False)
        backend.users = 1
        return Archive(backend)


def conversation(name: str, count: int, instance: str, workspace: str = "/w") -> Conversation:
    turns = (Turn(role=Role.USER, parts=(Text(f"{name} {n}"),), at=1.7e9) for n in range(count))
    return Conversation(
        id=name, agent="x", native_id=name, workspace=workspace, instance=instance
    ).with_turns(tuple(turns))


@pytest.fixture
def site(server: Server, url: str) -> Iterator[Site]:
    schema = url.rpartition("%3D")[2]
    logins = {rank: f"{rank}_{schema}" for rank in (*RANKS, "other", "stranger")}
    with Archive.open(url) as archive:
        archive.put(conversation("others", 2, "bob@box"))
        archive.put(conversation("hidden", 2, "bob@box", "/secret"))
        archive.commit(Batch({"s": [RawDelta(0, b"raw")]}, (), {}, {}, {"s": ["others"]}))
        archive.commit(Batch({"h": [RawDelta(0, b"raw")]}, (), {}, {}, {"h": ["hidden"]}))
        Memory(archive).remember("a memory of ours")
    team = Team(url)
    team.init()
    for rank in RANKS:
        team.invite(logins[rank], rank, None, f"{rank}@box")
    team.invite(logins["other"], "reader", "/elsewhere", None)
    server.run(f"create role {logins['stranger']} login")
    team.set_private("/secret", hidden=True)
    team.close()
    made = Site(server, url, schema, migrations.views_schema(schema), logins)
    for rank in ("writer", "curator", "owner"):
        with made.archive(logins[rank]) as archive:
            archive.put(conversation(f"of {rank}", 2, f"{rank}@box"))
    yield made
    for login in logins.values():
        server.run(f"drop owned by {login}; drop role {login}")


def key(table: str, text: str) -> str:
    return f"'\\x{(TABLES[table] + text.encode()).hex()}'::bytea"


MEMORY = key("namespaces", "memories\0mx")
NUMBER = "(select number from dejavu_conversations where id = '{}')"
FROM = f"where conversation = {NUMBER}"
RANGE = "where key >= '\\x54'::bytea || int8send({0}) and key < '\\x54'::bytea || int8send({0} + 1)"
TURN = (
    "insert into dejavu_turns (conversation, seq, month, workspace, role, vector) "
    f"values ({NUMBER}, 77, '2023-11-01', 1, 'user', 'native')"
)
BLOCK = (
    "insert into dejavu_records (key, value) "
    f"values ('\\x54'::bytea || int8send({NUMBER}) || '\\x0000004d'::bytea, 'x')"
)

# The lowest rank that may, for what is somebody else's ("others") or one's own ("of RANK").
CELLS = {
    "list": (1, "select 1 / count(*) from dejavu.conversations"),
    "read turns": (1, "select 1 / count(*) from dejavu.turns"),
    "read the store": (1, "select 1 / count(*) from dejavu_records"),
    "add a turn to another's": (3, TURN.format("others")),
    "add a block to another's": (3, BLOCK.format("others")),
    "change another's blocks": (
        3, f"update dejavu_records set value = 'x' {RANGE.format(NUMBER.format('others'))}",
    ),
    "delete another's blocks": (
        3, f"delete from dejavu_records {RANGE.format(NUMBER.format('others'))}",
    ),
    "delete another's turns": (3, f"delete from dejavu_turns {FROM.format('others')}"),
    "delete another's conversation": (3, "delete from dejavu_conversations where id = 'others'"),
    "delete another's summary": (
        3, f"delete from dejavu_records where key = {key('summaries', 'others')}",
    ),
    "move another's": (3, "update dejavu_conversations set workspace = workspace where id = 'others'"),
    "rename another's source": (3, "update dejavu_sources set name = 'x' where name = 's'"),
    "delete another's raw": (
        3, ("delete from dejavu_records where key >= '\\x52'::bytea || int8send((select number from "
        "dejavu_sources where name = 's')) and key < '\\x52'::bytea || int8send((select number "
        "from dejavu_sources where name = 's') + 1)"),
    ),
    "note a prune": (
        3, f"insert into dejavu_records (key, value) values ({key('pruned', 'others')}, 'x')",
    ),
    "rewrite the log": (
        3, f"update dejavu_records set value = 'x' where key = '\\x{(TABLES['log'] + number_key(1)).hex()}'",
    ),
    "add a memory": (2, f"insert into dejavu_records (key, value) values ({MEMORY}, 'x')"),
    "take the archive's own record": (4, f"delete from dejavu_records where key = {key('meta', 'meta')}"),
    "grant": (4, "select dejavu_grant(current_user, 4, null)"),
    "hide a workspace": (4, "select dejavu_set_private('/w', true)"),
    "give an instance": (4, "select dejavu_give_instance('bob@box', current_user)"),
    "read the audit": (3, "select 1 / count(*) from dejavu.audit"),
    "change the audit": (5, "update dejavu_audit set action = 'x'"),
    "empty the audit": (5, "delete from dejavu_audit"),
    "write the audit": (5, "insert into dejavu_audit (role, action, object) values ('x', 'x', 'x')"),
    "forge the audit": (5, "select dejavu_note('x', 'x', null, null)"),
    "make oneself a member": (5, "insert into dejavu_members (role, rank) values (current_user, 4)"),
    "share what is private": (5, "update dejavu_workspaces set private = false"),
    "take the guard away": (5, "alter table dejavu_records disable trigger all"),
    "open all rows": (5, "alter table dejavu_records disable row level security"),
    "drop the store": (5, "drop table dejavu_records"),
    "see a private conversation": (5, "select 1 / count(*) from dejavu_conversations where id = 'hidden'"),
    "see a private view": (5, "select 1 / count(*) from dejavu.turns where conversation = 'hidden'"),
    "see a private part": (5, "select 1 / count(*) from dejavu_parts where content like 'hidden%'"),
    "see a private summary": (
        5, f"select 1 / count(*) from dejavu_records where key = {key('summaries', 'hidden')}",
    ),
    "see a private source": (5, "select 1 / count(*) from dejavu_sources where name = 'h'"),
    "see a private link": (5, "select 1 / count(*) from dejavu_links where conversation = 'hidden'"),
    "make a partition as a reader": (2, "select dejavu_partition('2024-02-01')"),
    "make a workspace as a reader": (2, "select dejavu_workspace('/new')"),
    "claim an instance as another": (5, "select dejavu_instance('eve@box', 'keeper')"),
}  # fmt: skip


def test_every_forbidden_cell_is_refused_by_the_server(site: Site) -> None:
    wrong: list[str] = []
    for rank, login in enumerate((*RANKS, "other", "stranger"), 1):
        level = rank if rank <= len(RANKS) else 0
        for what, (needed, statement) in CELLS.items():
            if level == 0 and login == "other" and needed == 1:
                continue  # a reader elsewhere: what is empty there is looked at below
            said = tried(site, site.logins[login], statement)
            if (said == "") != (level >= needed):
                wrong.append(f"{login}: {what}: {said or 'allowed'}")
    assert not wrong, "\n".join(wrong)


def tried(site: Site, login: str, statement: str) -> str:
    """What the server said to a statement that is undone again; empty where it was allowed."""
    statement = statement.replace("dejavu.", f"{site.views}.")
    with psycopg.connect(site.url_of(login)) as connection:
        try:
            connection.execute(b"set local dejavu.program = 2")
            cursor = connection.execute(statement.encode())
            connection.execute(b"set constraints all immediate")
            if statement.startswith(("update", "delete")) and cursor.rowcount == 0:
                return "nothing there to see"
        except psycopg.Error as error:
            return str(error)
        finally:
            connection.rollback()
    return ""


def test_a_reader_elsewhere_sees_nothing_here(site: Site) -> None:
    login = site.logins["other"]
    assert site.psql(login, "select * from dejavu.conversations") == []
    assert site.psql(login, "select * from dejavu.turns") == []
    blocks = "select * from dejavu_records where key >= '\\x54' and key < '\\x55'"
    assert site.psql(login, blocks) == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        site.psql(site.logins["stranger"], "select * from dejavu.conversations")


OPERATIONS: dict[str, tuple[int, Callable[[Archive, str], object]]] = {
    "list": (1, lambda archive, _: next(archive.scan())),
    "show": (1, lambda archive, _: archive.get("others")),
    "recall": (1, lambda archive, _: Memory(archive).recall("a memory")[0]),
    "raw": (1, lambda archive, _: list(archive.raw("s"))),
    "add": (2, lambda archive, rank: archive.put(conversation("new", 3, f"{rank}@box"))),
    "extend": (2, lambda archive, rank: archive.put(conversation(f"of {rank}", 70, f"{rank}@box"))),
    "raw of one's own": (2, lambda archive, rank: [
        archive.commit(Batch({f"s {rank}": [RawDelta(n * 9, b"x" * 9)]}, (), {f"s {rank}": b"c"}))
        for n in range(4)
    ]),
    "remember": (2, lambda archive, _: Memory(archive).remember("walruses sleep")),
    "extend another's": (3, lambda archive, _: archive.put(conversation("others", 3, "bob@box"))),
    "write as another": (3, lambda archive, _: archive.put(conversation("eve", 1, "bob@box"))),
    "raw of another's": (3, lambda archive, _: archive.commit(Batch({"s": [RawDelta(3, b"x")]}))),
    "prune another's": (3, lambda archive, _: archive.prune(pattern="^others")),
    "prune one's own": (3, lambda archive, rank: archive.prune(
        pattern=f"^of {'writer' if rank == 'reader' else rank}"
    )),
}  # fmt: skip


def test_the_program_is_refused_in_words(site: Site) -> None:
    wrong: list[str] = []
    for rank, name in enumerate(RANKS, 1):
        for what, (needed, operation) in OPERATIONS.items():
            if what == "prune another's" and rank < needed:
                before = site.server.run(f"select count(*) from {site.schema}.dejavu_turns")
            with site.archive(site.logins[name]) as archive:
                try:
                    operation(archive, name)
                    said = ""
                except DejavuError as error:
                    said = str(error)
                    if isinstance(error, ArchiveError) and "rights in docs" not in said:
                        wrong.append(f"{name}: {what}: {said}")
            if (said == "") != (rank >= needed):
                wrong.append(f"{name}: {what}: {said or 'allowed'}")
            if what == "prune another's" and rank < needed:
                after = site.server.run(f"select count(*) from {site.schema}.dejavu_turns")
                assert before == after
        if rank == len(RANKS) - 1:  # pruned by now; back for the last
            with Archive.open(site.url) as keeper:
                keeper.put(conversation("others", 2, "bob@box"))
    assert not wrong, "\n".join(wrong)
    with Archive.open(site.url) as keeper:
        assert keeper.verify().faults == []


def test_the_audit_says_who_deleted_and_who_changed(site: Site) -> None:
    with site.archive(site.logins["curator"]) as archive:
        archive.prune(pattern="^others")
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
            "others", "of writer", "of curator", "of owner",
        }  # fmt: skip
        with pytest.raises(DejavuError):
            archive.get("hidden")
        with pytest.raises(DejavuError):
            list(archive.raw("h"))
    team = Team(site.url)
    team.grant(reader, "reader", "/secret")
    with site.archive(reader) as archive:
        assert archive.get("hidden").turn_count == 2
    team.init()  # again changes nothing
    assert len([m for m in team.status().members if m.role == reader]) == 2
    team.close()
