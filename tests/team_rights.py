"""Rights as a matrix: roles by operations, each tried through psql and through the program.

`psql_matrix` and `program_matrix` try every cell on a team's archive and say what the server did;
what a cell changed is undone where it goes through psql. `python -m benchmarks.teams.rights` prints
them, `tests/extensions/teams/test_postgres_rights.py` holds them.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

import psycopg
from tests.postgres import Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.keys import TABLES, number_key
from dejavu.extensions.teams import postgres_migrations as migrations
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.extensions.teams.postgres_retention import hold_statement
from dejavu.extensions.teams.postgres_team import RANKS, Team
from dejavu.model import Conversation, DejavuError, Role, Text, Turn
from dejavu.recall import Memory

ROLES = (*RANKS, "other", "stranger")
"""`other` may read one other workspace, `stranger` is a login without any right."""


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


@contextmanager
def made_site(server: Server, url: str) -> Generator[Site]:
    """A team's archive with rights, conversations of several members, and a private workspace."""
    schema = url.rpartition("%3D")[2]
    logins = {rank: f"{rank}_{schema}" for rank in (*RANKS, "other", "stranger")}
    with Archive.open(url) as archive:
        archive.put(conversation("others", 2, "bob@box"))
        archive.put(conversation("hidden", 2, "bob@box", "/secret"))
        archive.commit(Batch({"s": [RawDelta(0, b"raw")]}, (), {}, {}, {"s": ["others"]}))
        archive.commit(Batch({"h": [RawDelta(0, b"raw")]}, (), {}, {}, {"h": ["hidden"]}))
        archive.put(conversation("kept", 2, "bob@box"))
        archive.commit(Batch({"k": [RawDelta(0, b"raw")]}, (), {}, {}, {"k": ["kept"]}))
        Memory(archive).remember("a memory of ours")
    team = Team(url)
    team.init()
    for rank in RANKS:
        team.invite(logins[rank], rank, None, f"{rank}@box")
    team.invite(logins["other"], "reader", "/elsewhere", None)
    server.run(f"create role {logins['stranger']} login")
    team.set_private("/secret", hidden=True)
    team.apply(hold_statement("kept", None, "the case of 2026"))
    team.close()
    made = Site(server, url, schema, migrations.views_schema(schema), logins)
    for rank in ("writer", "curator", "owner"):
        with made.archive(logins[rank]) as archive:
            archive.put(conversation(f"of {rank}", 2, f"{rank}@box"))
            raw = {f"of {rank}": [RawDelta(0, b"raw")]}
            archive.commit(Batch(raw, (), {}, {}, {f"of {rank}": [f"of {rank}"]}))
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
    "place a hold": (4, "select dejavu_hold('others', null, 'why')"),
    "end a hold": (4, "select dejavu_release('kept', null)"),
    "see holds": (3, "select 1 / count(*) from dejavu_holds"),
    "end holds by hand": (5, "delete from dejavu_holds"),
    "see what was kept": (5, "select count(*) from dejavu_held_records"),
    "empty what was kept": (5, "delete from dejavu_held_records"),
    "delete what is held": (5, "delete from dejavu_conversations where id = 'kept'"),
    "move what is held": (5, "update dejavu_conversations set workspace = 99 where id = 'kept'"),
    "delete a held summary": (
        5, f"delete from dejavu_records where key = {key('summaries', 'kept')}",
    ),
    "note a prune of what is held": (
        5, f"insert into dejavu_records (key, value) values ({key('pruned', 'kept')}, 'x')",
    ),
    "unlink a held source": (5, "delete from dejavu_links where conversation = 'kept'"),
    "say how long is kept": (4, "select dejavu_set_retention(null, 30)"),
    "see how long is kept": (1, "select count(*) from dejavu_retention"),
    "note what retention took": (3, "select dejavu_note_retention('/w', 30, 1)"),
    "read the audit": (3, "select 1 / count(*) from dejavu.audit"),
    "change the audit": (5, "update dejavu_audit set action = 'x'"),
    "empty the audit": (5, "delete from dejavu_audit"),
    "write the audit": (5, "insert into dejavu_audit (role, action, object) values ('x', 'x', 'x')"),
    "note what a program did": (2, "select dejavu_note_work('redact', 'x', null)"),
    "note what no program does": (5, "select dejavu_note_work('grant', 'x', null)"),
    "read the sums": (5, "select count(*) from dejavu_usage"),
    "change prices": (5, "delete from dejavu_prices"),
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
    "search as another": (5, ("select * from dejavu_search('keeper', array['others'], "
        "null, null, null, null, null, null, null, 1)")),
    "search what is private": (5, ("select 1 / count(*) from dejavu_search(current_user, "
        "array['hidden'], null, null, null, null, null, null, null, 1)")),
    "look for exact text as another": (5, ("select * from dejavu_exact('keeper', '%others%', '', "
        "null, null, null, null, null, null, null, 1)")),
    "look for exact text that is private": (5, ("select 1 / count(*) from dejavu_exact("
        "current_user, '%hidden%', '', null, null, null, null, null, null, null, 1)")),
    "make a partition as a reader": (2, "select dejavu_partition('2024-02-01')"),
    "make a workspace as a reader": (2, "select dejavu_workspace('/new')"),
    "claim an instance as another": (5, "select dejavu_instance('eve@box', 'keeper')"),
    "take another's turns": (3, (f"update dejavu_turns set conversation = {NUMBER.format('of writer')}, "
        f"seq = seq + 500 {FROM.format('others')}")),
    "take another's parts": (3, (f"update dejavu_parts set conversation = {NUMBER.format('of writer')}, "
        f"seq = seq + 500 {FROM.format('others')}")),
    "take another's summary": (5, (f"update dejavu_records set key = {key('summaries', 'stolen')} "
        f"where key = {key('summaries', 'others')}")),
    "take another's conversation": (5, "update dejavu_conversations set id = 'x' where id = 'others'"),
    "take another's link": (5, "update dejavu_links set source = source where conversation = 'others'"),
    "let oneself into what is private": (5, "select dejavu_set_private('/secret', true)"),
    "share what is private by a function": (5, "select dejavu_set_private('/secret', false)"),
    "grant oneself what is private": (5, "select dejavu_grant(current_user, 4, '/secret')"),
    "see the members of what is private": (5, ("select 1 / count(*) from dejavu_members "
        "where role = 'keeper_of_secrets'")),
    "look for a pattern that ends early": (5, ("select * from dejavu_exact(current_user, E'%x\\\\', "
        "'', null, null, null, null, null, null, null, 1)")),
    "find a private conversation by its beginning": (5, "select dejavu_known_conversation('hid')"),
    "ask for the reason of a hold": (3, ("select 1 / count(*) from dejavu_conversations where id = 'kept' "
        "and dejavu_hold_of(number, null) like '%2026%'")),
}  # fmt: skip


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


OPERATIONS: dict[str, tuple[int, Callable[[Archive, str], object]]] = {
    "list": (1, lambda archive, _: next(archive.scan())),
    "show": (1, lambda archive, _: archive.get("others")),
    "recall": (1, lambda archive, _: Memory(archive).recall("a memory")[0]),
    "raw": (1, lambda archive, _: list(archive.sources.raw("s"))),
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
    "prune another's": (3, lambda archive, _: archive.maintenance.prune(pattern="^others")),
    "prune one's own": (3, lambda archive, rank: archive.maintenance.prune(
        pattern=f"^of {'writer' if rank == 'reader' else rank}"
    )),
}  # fmt: skip


class Cell(NamedTuple):
    """One operation by one role: what the server said ("" where it allowed it), and whether it ought to."""

    operation: str
    role: str
    said: str
    allowed: bool

    @property
    def wrong(self) -> bool:
        """Whether the server did other than it ought to."""
        return (self.said == "") != self.allowed


def psql_matrix(site: Site) -> list[Cell]:
    """Every statement by every role; what it changed is undone."""
    cells: list[Cell] = []
    for rank, role in enumerate(ROLES, 1):
        level = rank if rank <= len(RANKS) else 0
        for operation, (needed, statement) in CELLS.items():
            if role == "other" and needed == 1:
                continue  # what is empty to them is looked at by a test of its own
            said = tried(site, site.logins[role], statement)
            cells.append(Cell(operation, role, said, level >= needed))
    return cells


def program_matrix(site: Site) -> list[Cell]:
    """Every operation of the program by every rank, on another machine's connection."""
    cells: list[Cell] = []
    for rank, role in enumerate(RANKS, 1):
        for operation, (needed, work) in OPERATIONS.items():
            said = ""
            with site.archive(site.logins[role]) as archive:
                try:
                    work(archive, role)
                except DejavuError as error:
                    said = str(error)
            cells.append(Cell(operation, role, said, rank >= needed))
        with Archive.open(site.url) as keeper:  # what a curator pruned is back for the next
            keeper.put(conversation("others", 2, "bob@box"))
    return cells
