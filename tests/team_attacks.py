"""Attacks on a team's archive by its own members, as data: twins, seizures, and what they are tried with.

A twin is a statement about something private and the same about something that is not there: a member
may learn no difference, neither by the answer, nor by the error, nor by what the server had to read.
A seizure is a statement that would change or read what the member has no right to, by another key.
`tests/extensions/teams/test_postgres_attacks.py` tries every one, `tests/drills/trust/team_rights.py` draws
from them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import psycopg
from tests.team_rights import NUMBER, Site, key

SETTINGS = (
    "cpu_operator_cost = 0", "cpu_operator_cost = 1e9", "enable_seqscan = off",
    "enable_bitmapscan = off", "enable_indexscan = off", "enable_nestloop = off",
    "plan_cache_mode = force_generic_plan", "jit_above_cost = 0", "jit = off",
    "standard_conforming_strings = off", "escape_string_warning = off", "work_mem = '64kB'",
    "from_collapse_limit = 1", "debug_parallel_query = on", "force_parallel_mode = on",
    "default_statistics_target = 1", "geqo_threshold = 2", "row_security = on",
)  # fmt: skip
"""What a member may set; one that this server does not know is left out."""

SHADOWS = (
    "create temp table dejavu_members (role name, workspace int, rank int)",
    "insert into dejavu_members values (current_user, null, 4)",
    "create temp table dejavu_workspaces (id int, name text, private boolean)",
    "insert into dejavu_workspaces select n, '/secret', false from generate_series(1, 9) n",
    "create function pg_temp.dejavu_rank(name, int) returns int language sql as 'select 4'",
    ("create function pg_temp.dejavu_readable(name) returns int[] language sql "
    "as 'select array[1, 2, 3, 4]'"),
    "create function pg_temp.dejavu_is_owner(name) returns boolean language sql as 'select true'",
    ("create function pg_temp.pg_has_role(name, name, text) returns boolean language sql "
    "as 'select true'"),
    "create function pg_temp.always(int, int) returns boolean language sql as 'select true'",
    "create operator pg_temp.= (leftarg = int, rightarg = int, function = pg_temp.always)",
    "create operator pg_temp.>= (leftarg = int, rightarg = int, function = pg_temp.always)",
    "create domain pg_temp.text as pg_catalog.text",
)  # fmt: skip
"""Names of ours and of the server's, made again where a careless search path finds them first."""

_EXACT = "select count(*) from dejavu_exact(current_user, {}, null, null, null, null, null, null, null, 9)"
_SEARCH = "select count(*) from dejavu_search(current_user, array[{}], {}, null, null, null, {}, null, null, 9)"


def _find(
    index: str | None,
    exact: str | None = None,
    *shapes: str,
    place: str = "null",
    paths: str = "null",
    tool: str = "null",
) -> str:
    question = {"index": index, "exact": exact, "shapes": shapes, "every": True}
    return (
        f"select count(*) from dejavu_find(current_user, '{json.dumps([question])}', {paths}, array['@'], "
        f"{place}, null, null, null, {tool}, true, null, null, null, 9)"
    )


def _recall(term: str, piece: str, places: str = "null", project: str = "null") -> str:
    return (
        f"select dejavu_recall(current_user, array['{term}', '0'], array['{piece}', '0'], array[1, 0.5], "
        f"{places}, {project}, 9)"
    )


TWINS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "dejavu_exact": [
        (_EXACT.format(f"{pattern}, '{json}'"), "hidden", "zidden")
        for pattern, json in (
            ("E'%@\\\\'", ""), ("E'@%\\\\'", ""), ("''", "%@%"), ("'%@%'", ""), ("'%@_0'", ""),
            ("E'%\\\\@ 0%'", ""), ("E'%@%\\\\\\\\\\\\'", "%"), ("repeat('%@', 200)", ""),
        )
    ] + [(_EXACT.format("'%x%', '%@\\'"), "hidden", "zidden"),
         (("select * from dejavu_exact(current_user, '%0%', '', '@', null, null, null, null, null, "
          "null, 9)"), "/secret", "/nowhere")],
    "dejavu_search": [
        (_SEARCH.format(f"'{query}'", "null", "null"), "hidden", "zidden")
        for query in ("@", "@:*", "@ & 0", "@ <-> 0", "!@", "@ &", "(@", "@ <-> 1 | @ <2> 0")
    ] + [(_SEARCH.format("'0'", "'@'", "null"), "/secret", "/nowhere"),
         (_SEARCH.format("'0'", "'@'", "null"), "secret", "nowhere")],
    "dejavu_find": [
        (statement, "hidden", "zidden") for statement in (
            _find("@"), _find("@ & 0", "@ <-> 0", "@ 0"), _find("0", "@ <-> 0", "@ 0"), _find("!@"),
            _find("(@"), _find("0", "0", "@ 0", "0"), _find("0", paths="'@'"), _find("0", "@ &"),
        )
    ] + [(_find("0", place="'@'"), "/secret", "/nowhere"), (_find("0", place="'@'"), "secret", "nowhere")]
      + [(_find(index, tool="'@'"), "vault", "zault") for index in (None, "0")]
      + [(_find(index, paths="'@'"), "vault", "zault") for index in (None, "0")],
    "dejavu_recall": [
        (statement, "hidden", "zidden") for statement in (
            _recall("@", "@"), _recall("0", "@"), _recall("@:*", "0"), _recall("(@", "@"), _recall("!@", "@"),
        )
    ] + [(_recall("0", "0", places), "/secret", "/nowhere") for places in (
            "array['@']", "array['@', '/w']", "array['@/below', '@']")]
      + [(_recall("0", "0", "array['/w']", "'@'"), "hidden/project", "no/project")],
    "dejavu_used": [
        (f"select * from dejavu_used(current_user, {named}, null, null, '{{0}}', '{{0}}', '{{0}}', true, true)",
         hidden, shown)
        for named, hidden, shown in (
            ("'@', null, null, true, null", "/secret", "/nowhere"),
            ("null, null, null, true, array['@']", "hidden/project", "no/project"),
            ("null, null, null, true, array['@']", "/secret", "/nowhere"),
        )
    ],
    "dejavu_note_work": [
        ("select dejavu_note_work('redact', '@', null)", "hidden", "zidden"),
        ("select dejavu_note_work('@', 'x', null)", "hidden", "zidden"),
    ],
    "dejavu_hold": [
        ("select dejavu_hold('@', null, 'why')", "hidden", "zidden"),
        ("select dejavu_hold('@', null, 'why')", "hid", "zid"),
        ("select dejavu_hold(null, '@', 'why')", "/secret", "/nowhere"),
    ],
    "dejavu_release": [
        ("select dejavu_release('@', null)", "hid", "zid"),
        ("select dejavu_release(null, '@')", "/secret", "/nowhere"),
    ],
    "dejavu_set_retention": [("select dejavu_set_retention('@', 1)", "/secret", "/nowhere")],
    "dejavu_note_retention": [("select dejavu_note_retention('@', 1, 1)", "/secret", "/nowhere")],
    "dejavu_known_workspace": [("select dejavu_known_workspace('@')", "/secret", "/nowhere")],
    "dejavu_known_conversation": [("select * from dejavu_known_conversation('@')", "hid", "zid")],
    "dejavu_record_of": [
        ("select * from dejavu_record_of('\\x48'::bytea || convert_to('@', 'UTF8'))", "hidden", "zidden"),
    ],
    "dejavu_hold_of": [("select dejavu_hold_of(@, null)", "{hidden}", "987654")],
    "dejavu_hold_reason": [("select dejavu_hold_reason(@, null)", "{hidden}", "987654")],
    "dejavu_place_to_write": [
        ("select * from dejavu_place_to_write(current_user, @)", "{hidden}", "987654"),
        ("select * from dejavu_place_to_write('@', {hidden})", "keeper_of_secrets", "no_one"),
    ],
    "dejavu_writes_named": [
        ("select dejavu_writes_named('@', 'hidden')", "keeper_of_secrets", "no_one"),
    ],
    "dejavu_delete_records": [
        ("select dejavu_delete_records(array['\\x48'::bytea || convert_to('@', 'UTF8')])", "hidden", "zidden"),
        ("select dejavu_delete_records(array['\\x54'::bytea || int8send(@) || '\\x00000000'::bytea])",
         "{hidden}", "987654"),
    ],
    "dejavu_delete_turns": [("select dejavu_delete_turns(array[@], array[0])", "{hidden}", "987654")],
    "dejavu_place_sources": [("select dejavu_place_sources(array[@])", "{hidden}", "987654")],
    "dejavu_rank": [("select dejavu_rank('@', {secret})", "keeper_of_secrets", "no_one")],
    "dejavu_decides": [("select dejavu_decides('@', {secret})", "keeper_of_secrets", "no_one")],
    "dejavu_readable": [("select dejavu_readable('@')", "keeper_of_secrets", "no_one")],
    "dejavu_sees_all": [("select dejavu_sees_all('@')", "keeper_of_secrets", "no_one")],
    "dejavu_sees": [
        ("select dejavu_sees('@', '\\x48'::bytea || convert_to('hidden', 'UTF8'))", "keeper_of_secrets",
         "no_one"),
    ],
    "dejavu_writes": [("select dejavu_writes('@', {hidden}, 0)", "keeper_of_secrets", "no_one")],
    "dejavu_writes_source": [
        ("select dejavu_writes_source('@', 1, false)", "keeper_of_secrets", "no_one")
    ],
    "dejavu_refused_record": [
        ("select dejavu_refused_record('@', 'UPDATE', " + key("summaries", "hidden") + ")",
         "keeper_of_secrets", "no_one"),
    ],
}  # fmt: skip
"""By function: (statement with @, what is private, what is not there). {hidden} and {secret} are numbers
of the private conversation and workspace; `keeper_of_secrets` has a right there, `no_one` none."""

_MINE = NUMBER.format("of writer")
_OTHERS = NUMBER.format("others")
_MY_SOURCE = "(select number from dejavu_sources where name = 'of writer')"
_TABLES = (
    "dejavu_records", "dejavu_commits", "dejavu_conversations", "dejavu_turns", "dejavu_parts",
    "dejavu_sources", "dejavu_links", "dejavu_notes", "dejavu_members", "dejavu_workspaces",
)  # fmt: skip
SEIZURES = (
    f"update dejavu_turns set conversation = {_MINE}, seq = seq + 500 where conversation = {_OTHERS}",
    f"update dejavu_parts set conversation = {_MINE}, seq = seq + 500 where conversation = {_OTHERS}",
    f"update dejavu_turns set month = '2000-01-01' where conversation = {_OTHERS}",
    f"update dejavu_turns set conversation = {_OTHERS}, seq = seq + 500 where conversation = {_MINE}",
    (f"update dejavu_records set key = {key('summaries', 'stolen')} "
    f"where key = {key('summaries', 'others')}"),
    (f"update dejavu_records set key = '\\x54'::bytea || int8send({_MINE}) || '\\x000001f4'::bytea "
    f"where key >= '\\x54'::bytea || int8send({_OTHERS}) "
    f"and key < '\\x54'::bytea || int8send({_OTHERS} + 1)"),
    (f"insert into dejavu_turns select {_MINE}, 900, month, workspace, at, role, vector, model, usage, "
    f"native_id, parent from dejavu_turns where conversation = {_OTHERS} "
    f"on conflict (conversation, seq, month) do update set conversation = {_OTHERS}"),
    "update dejavu_conversations set id = 'stolen' where id = 'others'",
    f"update dejavu_conversations set number = {_OTHERS} where id = 'of writer'",
    "update dejavu_conversations set number = 987654 where id = 'of writer'",
    "update dejavu_conversations set id = 'another' where id = 'of writer'",
    ("insert into dejavu_conversations select * from dejavu_conversations where id = 'others' "
    "on conflict (id) do update set title = 'stolen'"),
    "update dejavu_links set source = source where conversation = 'others'",
    f"insert into dejavu_links values ({_MY_SOURCE}, 'others')",
    f"insert into dejavu_links values ({_MY_SOURCE}, 'hidden')",
    f"insert into dejavu_links values ({_MY_SOURCE}, 'not there')",
    "insert into dejavu_links select number, 'of writer' from dejavu_sources where name = 's'",
    ("insert into dejavu_records select '\\x4c73'::bytea || int8send(number) || 'of writer'::bytea, 'x' "
     "from dejavu_sources where name = 's'"),
    f"select dejavu_delete_records(array[{key('summaries', 'others')}])",
    (f"select dejavu_delete_records(array(select key from dejavu_records where key >= '\\x54'::bytea "
     f"|| int8send({_OTHERS}) and key < '\\x54'::bytea || int8send({_OTHERS} + 1)))"),
    f"select dejavu_delete_turns(array[{_OTHERS}], array[0])",
    *(f"lock table {table} in {mode} mode" for table in _TABLES for mode in ("access exclusive", "share")),
    "update dejavu_links set conversation = 'of writer' where conversation = 'others'",
    "update dejavu_sources set number = number + 900 where name = 's'",
    "update dejavu_instances set owner = current_user",
    "update dejavu_workspaces set private = false",
    "delete from dejavu_members",
    "truncate dejavu_records",
    "alter table dejavu_turns disable trigger all",
    "set session_replication_role = replica",
    "set role keeper",
    "set session authorization keeper",
    "set row_security = off; select 1 / count(*) from dejavu_conversations where id = 'hidden'",
    "select count(*) from dejavu_turns for update",
    f"prepare p as delete from dejavu_turns where conversation = {_OTHERS}; execute p",
    (f"declare c cursor for select * from dejavu_turns where conversation = {_OTHERS} for update; "
    "fetch 1 from c; delete from dejavu_turns where current of c"),
    (f"merge into dejavu_turns t using (select {_OTHERS} as it) s on t.conversation = s.it "
    f"when matched then update set conversation = {_MINE}, seq = seq + 500"),
    "insert into dejavu_members (role, rank) values (current_user, 4)",
    "insert into dejavu_audit (role, action, object) values ('x', 'x', 'x')",
    "select dejavu_note('x', 'x', null, null)",
    "select dejavu_set_private('/secret', false)",
    "select dejavu_set_private('/secret', true)",
    "select dejavu_grant(current_user, 4, '/secret')",
    "select dejavu_give_instance('bob@box', current_user)",
    "select dejavu_instance('eve@box', 'keeper')",
    "select dejavu_partition('1990-01-01')",
    "select dejavu_workspace('/secret')",
    "select dejavu_set_closed(true)",
    "update dejavu_workspaces set follows = '{1}', closed = true",
    "insert into dejavu_settings values ('closed', 'true')",
)  # fmt: skip
"""What a writer (and so a reader, and a stranger) is refused."""
OF_WRITERS = (
    "select dejavu_delete_notes(array(select key from dejavu_notes))",
    "select dejavu_forget_commits(null)",
    "insert into dejavu_records values ('\\x56ff'::bytea, 'x')",
    "insert into dejavu_commits (session, number) values (gen_random_uuid(), 1)",
)
"""What a reader and a stranger are refused, and a writer is not."""
REFUSALS = {
    "42501": "",  # insufficient_privilege, of the server and of ours
    "42704": "no conversation was held|of .*conversations begin with",  # undefined_object, of ours
    "23514": "no partition",  # check_violation
    "0A000": "FOR UPDATE is not allowed",  # of rows that were counted
    "22012": "",  # division by zero: the row is not there
}
"""By SQLSTATE, what the server says where it refuses; every other error is a fault of the attack."""


_SAMPLES, _ROUNDS = 4, 3


class Answer(NamedTuple):
    """What a member learns from a statement: its rows or its error, and the fewest pages read for it."""

    said: str
    read: int


def numbers(site: Site) -> dict[str, int]:
    """The numbers of the private conversation and of its workspace."""
    [(hidden, secret)] = site.server.run(
        f"select number, workspace from {site.schema}.dejavu_conversations where id = 'hidden'"
    )
    return {"hidden": int(str(hidden)), "secret": int(str(secret))}


def make_twins(site: Site) -> None:
    """Two logins more: one with a right in the private workspace, and one without any."""
    for login in ("keeper_of_secrets", "no_one"):
        site.server.run(f"drop role if exists {login}")
        site.server.run(f"create role {login} login")
    schema = site.schema
    site.server.run(
        f"insert into {schema}.dejavu_members (role, workspace, rank) "
        f"select 'keeper_of_secrets', id, 4 from {schema}.dejavu_workspaces where name = '/secret'"
    )


def ask(
    site: Site, login: str, statement: str, *, before: Sequence[str] = (), costs: bool = False
) -> Answer:
    """What a member learns by `statement` after `before`; all of it is undone."""
    with psycopg.connect(site.url_of(login)) as connection:
        try:
            connection.execute(b"set local dejavu.program = 2")
            for one in before:
                with connection.transaction():
                    connection.execute(one.encode())
            rows = connection.execute(statement.encode()).fetchall()
            read = 0
            if costs:
                explain = f"explain (analyze, buffers, timing off, format json) {statement}"
                connection.execute(explain.encode())  # fills caches
                read = min(_pages(connection, explain) for _ in range(_SAMPLES))
            return Answer(str(rows), read)
        except psycopg.Error as error:
            return Answer(f"{error.sqlstate} {error.diag.message_primary}", 0)
        finally:
            connection.rollback()


def _pages(connection: psycopg.Connection[Any], explain: str) -> int:
    """How many pages the server read to answer."""
    row = connection.execute(explain.encode()).fetchone()
    assert row is not None
    plan: list[dict[str, dict[str, int]]] = (
        row[0] if isinstance(row[0], list) else json.loads(row[0])
    )
    found = plan[0]["Plan"]
    return int(found["Shared Hit Blocks"] + found["Shared Read Blocks"])


def possible(site: Site, login: str, settings: Sequence[str]) -> list[str]:
    """The settings that this server lets a member make."""
    return [
        f"set {setting}" for setting in settings
        if "42704" not in ask(site, login, "select 1", before=[f"set {setting}"]).said
    ]  # fmt: skip


def differ(site: Site, login: str, twin: tuple[str, str, str], before: Sequence[str] = ()) -> str:
    """How the two answers differ for a member; empty where nothing is learned.

    Another session's change makes the server read its catalog again, which only adds pages: the least of
    some samples counts, of each statement by itself. What changes between the two (autovacuum sets a bit,
    so that fewer pages are read from then on) differs once; what a member can learn differs every time.
    """
    for _ in range(_ROUNDS):
        private, absent = _answers(site, login, twin, before)
        if private == absent:
            return ""
        if private.said != absent.said:
            break
    return f"{login}: {twin[0]} {before}: {private} {absent}"


def _answers(
    site: Site, login: str, twin: tuple[str, str, str], before: Sequence[str]
) -> list[Answer]:
    """What a member learns about what is private, and about what is not there."""
    statement, private, absent = twin
    known = {"{hidden}": "hidden", "{secret}": "secret"}
    places = numbers(site)

    def filled(text: str) -> str:
        for mark, name in known.items():
            text = text.replace(mark, str(places[name]))
        return text

    answers: list[Answer] = []
    for given in (private, absent):
        given = filled(given)
        costs = re.search("dejavu_(exact|search|find|recall)", statement) is not None
        answer = ask(site, login, filled(statement).replace("@", given), before=before, costs=costs)
        shown = answer.said if given.isdigit() else answer.said.replace(given, "@")
        answers.append(answer._replace(said=shown))
    return answers


def refused(error: psycopg.Error) -> bool:
    """Whether an error means that the member may not."""
    said = REFUSALS.get(error.sqlstate or "")
    return said is not None and re.search(said, error.diag.message_primary or "") is not None


def seized(site: Site, login: str, statement: str) -> str:
    """What a member got by a seizure, or what kept it from being tried; empty where it was refused.

    Also empty where there was nothing to change.
    """
    with psycopg.connect(site.url_of(login)) as connection:
        try:
            connection.execute(b"set local dejavu.program = 2")
            # Named in full: a stranger has no right to the schema, and finds no name without it.
            named = re.sub(r"\bdejavu_", f"{site.schema}.dejavu_", statement)
            cursor = connection.execute(named.encode())
            connection.execute(b"set constraints all immediate")
            if statement.startswith(("update", "delete", "insert")) and cursor.rowcount == 0:
                return ""
        except psycopg.Error as error:
            return "" if refused(error) else f"{login}: {statement}: {error.sqlstate} {error}"
        finally:
            connection.rollback()
    return f"{login}: {statement}"
