"""Members attack the functions that act with the keeper's rights, and the guards, on a real server."""

from collections.abc import Iterator

import msgspec
import psycopg
import pytest
from tests import team_attacks as attacks
from tests.postgres import Server
from tests.team_rights import Site, conversation, made_site, tried

from dejavu.archive import Archive, conversations
from dejavu.archive.backends.transaction import wrap
from dejavu.archive.records import pack
from dejavu.extensions.teams.postgres_migrations import NEWEST
from dejavu.extensions.teams.postgres_team import Team, upgrade
from dejavu.model import Conversation, CorruptArchiveError, Role, Text, ToolCall, Turn
from dejavu.recall import rationale

# Tried by a statement of `SEIZURES` or a test below, not by a twin.
BY_SEIZURE = {
    "dejavu_set_closed", "dejavu_set_private", "dejavu_grant", "dejavu_give_instance", "dejavu_instance",
    "dejavu_partition", "dejavu_workspace", "dejavu_note", "dejavu_delete_notes", "dejavu_forget_commits",
}  # fmt: skip
MEMBERS = ("reader", "writer", "curator", "owner", "other", "stranger")


def called(name: str, count: int, workspace: str) -> Conversation:
    """A conversation whose every turn calls the tool `vault`."""
    call = ToolCall(None, "vault", {"path": "vault"})
    turns = (Turn(role=Role.ASSISTANT, parts=(call,), at=1.7e9) for _ in range(count))
    told = conversation(name, 0, "bob@box", workspace)
    return told.with_turns(tuple(turns))


@pytest.fixture(scope="module")
def site(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A team whose private conversation is long, so that an index that held it would show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEJAVU_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        try:
            server.run("create extension pg_trgm")
        except psycopg.Error as error:
            pytest.skip(f"needs pg_trgm: {error}")
        with made_site(server, server.url(schema=server.new_schema())) as made:
            with Archive.open(made.url) as keeper:
                keeper.put(conversation("hidden", 300, "bob@box", "/secret"))
                keeper.put(conversation("open", 300, "bob@box"))
                keeper.put(called("called", 40, "/secret"))
            attacks.make_twins(made)
            # A table that is vacuumed between two statements is read with fewer pages by the second.
            server.run("alter system set autovacuum = off")
            server.run("select pg_reload_conf()")
            server.run("vacuum analyze")
            yield made
        server.run("alter system reset autovacuum")
        server.run("select pg_reload_conf()")
        server.run("drop role keeper_of_secrets; drop role no_one")
        server.run("drop extension if exists pg_trgm cascade")


def definers(site: Site) -> list[tuple[str, bool, str]]:
    """(name, whether it is a trigger's, signature) of each function that acts as the keeper."""
    rows = site.server.run(
        "select proname::text, prorettype = 'trigger'::regtype, oid::regprocedure::text from pg_proc "
        f"where prosecdef and pronamespace = '{site.schema}'::regnamespace order by 1"
    )
    return [(str(name), bool(trigger), str(whole)) for name, trigger, whole in rows]


def test_every_function_with_the_keepers_rights_is_attacked(site: Site) -> None:
    """A new one needs an attack: a twin, or a statement among the seizures."""
    names = {name for name, trigger, _ in definers(site) if not trigger}
    tried = " ".join((*attacks.SEIZURES, *attacks.OF_WRITERS))
    assert names == set(attacks.TWINS) | BY_SEIZURE
    assert all(name in tried for name in BY_SEIZURE)


@pytest.mark.fault("C3")
@pytest.mark.parametrize("name", sorted(attacks.TWINS))
def test_what_is_private_answers_as_what_is_not_there(site: Site, name: str) -> None:
    """The same rows, the same error, and as many pages read, whoever asks."""
    found = [attacks.differ(site, site.logins[m], t) for m in MEMBERS for t in attacks.TWINS[name]]
    assert not any(found), "\n".join(filter(None, found))


@pytest.mark.fault("C3")
@pytest.mark.parametrize(
    "name", ["dejavu_exact", "dejavu_search", "dejavu_find", "dejavu_recall", "dejavu_hold"]
)
def test_no_setting_and_no_shadow_changes_that(site: Site, name: str) -> None:
    reader = site.logins["reader"]
    settings = attacks.possible(site, reader, attacks.SETTINGS)
    path = f"set search_path = pg_temp, {site.schema}, pg_catalog"
    befores = [[one] for one in settings] + [[*attacks.SHADOWS, path], [*settings, path]]
    found = [attacks.differ(site, reader, t, b) for b in befores for t in attacks.TWINS[name][:3]]
    assert not any(found), "\n".join(filter(None, found))


def test_the_settings_and_shadows_can_be_made(site: Site) -> None:
    """Or the test above would hold for nothing."""
    reader = site.logins["reader"]
    assert len(attacks.possible(site, reader, attacks.SETTINGS)) > len(attacks.SETTINGS) - 3
    assert attacks.ask(site, reader, "select 1", before=attacks.SHADOWS).said == "[(1,)]"
    path = f"set search_path = pg_temp, {site.schema}, pg_catalog"
    fooled = "select count(*) from dejavu_workspaces where name = '/secret'"
    assert attacks.ask(site, reader, fooled, before=[*attacks.SHADOWS, path]).said == "[(9,)]"


@pytest.mark.fault("C4")
@pytest.mark.parametrize("statement", attacks.SEIZURES)
def test_no_key_takes_what_is_of_others(site: Site, statement: str) -> None:
    for member in ("reader", "writer", "other", "stranger"):
        assert attacks.seized(site, site.logins[member], statement) == ""


@pytest.mark.parametrize("statement", attacks.OF_WRITERS)
def test_a_reader_does_nothing_of_a_writers(site: Site, statement: str) -> None:
    for member in ("reader", "other", "stranger"):
        assert attacks.seized(site, site.logins[member], statement) == ""
    assert attacks.seized(site, site.logins["writer"], statement) != ""


def test_an_error_that_is_no_refusal_is_no_refusal(site: Site) -> None:
    """A typing mistake in an attack must not pass for a held one."""
    for statement in (
        "selekt 1",
        "update dejavu_turn set seq = 1",
        "select 'x'::int",
        "select now(1)",
    ):
        assert attacks.seized(site, site.logins["reader"], statement) != ""


def test_no_trigger_function_hangs_on_a_members_own_table(site: Site) -> None:
    """It would act on rows that they made up: forge the audit, or tell why something is held."""
    for name, trigger, whole in definers(site):
        if trigger:
            said = attacks.ask(
                site, site.logins["curator"], f"select '{name}'", before=[
                    "create temp table mine (id text, number bigint, workspace int, key bytea)",
                    f"create trigger x before insert on mine for each row execute function {whole}",
                ],
            ).said  # fmt: skip
            assert "permission denied for function" in said, name


def test_no_predicate_of_a_member_sees_a_row_that_is_hidden(site: Site) -> None:
    """A function that costs nothing and tells every value it is given."""
    leak = (
        "create function pg_temp.leak(text) returns boolean language plpgsql cost 0.0000001 as "
        "$$begin raise notice '%', $1; return true; end$$"
    )
    tables = {
        "dejavu_parts": "content", "dejavu_conversations": "title || id", "dejavu_turns": "role",
        "dejavu_workspaces": "name", "dejavu_links": "conversation", "dejavu_sources": "name",
        f"{site.views}.parts": "content", f"{site.views}.turns": "conversation",
        f"{site.views}.workspaces": "name", f"{site.views}.conversations": "title || id",
        f"{site.views}.raw_chunks": "name", f"{site.views}.sources": "name",
    }  # fmt: skip
    for setting in ("cpu_operator_cost = 0", "enable_seqscan = off"):
        told: list[str] = []
        with psycopg.connect(site.url_of(site.logins["reader"])) as connection:
            connection.add_notice_handler(lambda d, told=told: told.append(d.message_primary or ""))
            connection.execute(f"set {setting}".encode())
            connection.execute(leak.encode())
            for table, column in tables.items():
                connection.execute(
                    f"select count(*) from {table} where pg_temp.leak({column})".encode()
                )
            connection.rollback()
        assert len(told) > 100
        assert not [one for one in told if "hidden" in one or "secret" in one]


@pytest.mark.fault("C3")
def test_the_planner_keeps_no_statistics_of_text(site: Site) -> None:
    """EXPLAIN would tell every member what is frequent in it."""
    rows = site.server.run(
        "select tablename, attname from pg_stats where (most_common_vals is not null or "
        f"histogram_bounds is not null) and schemaname = '{site.schema}' and attname in ('content', "
        "'name', 'call', 'title', 'prompt', 'native_id') and tablename ~ 'parts|conversations'"
    )
    assert rows == []


@pytest.mark.fault("H7")
def test_no_owner_lets_themself_into_a_private_workspace(site: Site) -> None:
    owner = site.logins["owner"]
    for statement in (
        "select dejavu_set_private('/secret', true)", "select dejavu_set_private('/secret', false)",
        "select dejavu_grant(session_user, 4, '/secret')",
        "select dejavu_grant(session_user, 1, '/secret')",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            site.psql(owner, statement)
    assert site.psql(owner, "select * from dejavu_conversations where id = 'hidden'") == []
    site.psql(owner, "select dejavu_set_private('/theirs', true)")
    members = (
        f"select role from {site.schema}.dejavu_members m join {site.schema}.dejavu_workspaces w "
    )
    assert site.server.run(f"{members} on w.id = m.workspace where w.name = '/theirs'") == [
        (owner,)
    ]


def test_the_owner_of_one_workspace_gives_and_takes_nothing_of_a_group(site: Site) -> None:
    group = f"dejavu_{site.schema}_curator"
    owner = site.logins["owner"]
    for rank in (0, 4):
        for place in ("'/w'", "null"):
            for member in (group, "keeper", "pg_read_all_data"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not grant"):
                    site.psql(owner, f"select dejavu_grant('{member}', {rank}, {place})")
    inherits = f"select pg_has_role('{group}', 'dejavu_{site.schema}_writer', 'MEMBER')"
    assert site.server.run(inherits) == [(True,)]


def test_the_reason_of_a_hold_is_for_those_who_see_holds(site: Site) -> None:
    ask = "select dejavu_hold_of(number, null) from dejavu_conversations where id = 'kept'"
    assert site.psql(site.logins["curator"], ask) == [("the case of 2026",)]
    [(reader,)] = site.psql(site.logins["reader"], ask)
    assert "legal hold" in str(reader)
    assert "2026" not in str(reader)
    schema = site.schema
    site.server.run(
        f"update {schema}.dejavu_instances set owner = '{site.logins['writer']}' where name = 'bob@box'"
    )
    with pytest.raises(psycopg.Error, match="under legal hold") as refused:
        site.psql(site.logins["writer"], "update dejavu_conversations set workspace = (select id from "
                  "dejavu_workspaces where name = '/theirs') where id = 'kept'; select 1"
                  .replace("(select id from dejavu_workspaces where name = '/theirs')", "99"))  # fmt: skip
    assert "2026" not in str(refused.value)


@pytest.mark.fault("C3")
def test_a_rationale_is_read_by_those_who_read_its_turn(site: Site) -> None:
    """It quotes the turn, under a key of no conversation's own."""
    why = "We pay Ann 212000 because she threatened to leave the falcon project. " * 2
    turns = tuple(Turn(role=Role.ASSISTANT, parts=(Text(why),), at=1.7e9) for _ in range(1))
    with Archive.open(site.url) as keeper:
        for name, workspace in (("why open", "/w"), ("why hidden", "/secret")):
            keeper.put(conversation(name, 0, "bob@box", workspace).with_turns(turns))
        assert rationale.explain(keeper, conversations=["why open", "why hidden"]).written == 2
    keys = "select convert_from(substring(key from 12 for length(key) - 15), 'UTF8') from "
    rows = f"{keys} dejavu_records where starts_with(encode(key, 'escape'), 'Vrationale\\000')"
    assert site.psql(site.logins["reader"], rows) == [("why open",)]
    assert site.psql(site.logins["other"], rows) == []
    assert len(site.psql("keeper", rows)) == 2
    written = "insert into dejavu_records (key, value) values ('{}' || '\\x00000009'::bytea, 'x')"
    for name in ("why hidden", "not there"):
        statement = written.format(f"Vrationale\\000{name}")
        assert "may not explain" in tried(site, site.logins["writer"], statement)
    assert tried(site, site.logins["writer"], written.format("Vrationale\\000why open")) == ""


@pytest.mark.fault("C4")
def test_a_summary_that_names_the_turns_of_others_takes_none_of_them(site: Site) -> None:
    """A writer may change their own record; who deletes it later must not delete by its number."""
    with Archive.open(site.url) as keeper:
        keeper.put(conversation("forged", 2, "writer@box"))
        [theirs] = keeper.backend.read(lambda txn: [conversations.find(txn, "others")])
        [own] = keeper.backend.read(lambda txn: [conversations.find(txn, "forged")])
        assert theirs is not None
        assert own is not None
        before = list(keeper.turns("others"))
    key = b"Hforged"
    value = wrap(key, pack(msgspec.structs.replace(own, number=theirs.number)))
    update = f"update dejavu_records set value = '\\x{value.hex()}' where key = '\\x{key.hex()}'"
    site.psql(site.logins["writer"], update)
    with site.archive(site.logins["curator"]) as archive:
        for delete in (
            lambda: archive.maintenance.prune(only=("forged",)),
            lambda: archive.maintenance.prune(pattern="^forged"),
        ):
            with pytest.raises(CorruptArchiveError, match="another conversation's turns"):
                delete()
        assert list(archive.turns("others")) == before
    value = wrap(key, pack(own))
    site.psql(site.logins["writer"], f"update dejavu_records set value = '\\x{value.hex()}' "
              f"where key = '\\x{key.hex()}'")  # fmt: skip


def test_the_keeper_takes_no_kept_copy_before_the_hold_ends(site: Site) -> None:
    with Archive.open(site.url) as keeper:
        keeper.put(conversation("kept", 4, "bob@box"))
    for statement in (
        "delete from dejavu_held_records",
        "update dejavu_held_records set value = ''",
    ):
        with pytest.raises(psycopg.Error, match="a kept copy is under legal hold") as refused:
            site.psql("keeper", statement)
        assert refused.value.sqlstate == "DV001"


def test_an_archive_of_an_older_program_gets_the_rights_of_this_one(
    server: Server, url: str
) -> None:
    """`team upgrade` brings them up with the tables; until then everyone reads."""
    with made_site(server, url) as site:
        schema, reader = site.schema, site.logins["reader"]
        server.run(
            f"set search_path = {schema}; drop index dejavu_parts_words; drop index dejavu_parts_workspace;"
            "alter table dejavu_parts drop column hidden cascade; create index dejavu_parts_words on "
            "dejavu_parts using gin (dejavu_words(content)); "
            "drop policy dejavu_read on dejavu_members; alter table dejavu_members disable row level security;"
            "comment on table dejavu_records is 'dejavu schema 5'"
        )
        with site.archive(reader) as archive:
            assert archive.get("others").turn_count == 2
        with Archive.open(site.url) as keeper:
            assert keeper.get("others").turn_count == 2
        upgrade(site.url, dry_run=False)
        [(comment,)] = server.run(f"select obj_description('{schema}.dejavu_records'::regclass)")
        assert comment == f"dejavu schema 7 readers 7 reached {NEWEST}"
        for name in ("dejavu_exact", "dejavu_search", "dejavu_find", "dejavu_recall"):
            for twin in attacks.TWINS[name]:
                assert attacks.differ(site, reader, twin) == ""
        [(hidden,)] = server.run(f"select count(*) from {schema}.dejavu_parts where hidden")
        assert hidden == 2
        members = (
            f"select relrowsecurity from pg_class where oid = '{schema}.dejavu_members'::regclass"
        )
        assert server.run(members) == [(True,)]
        team = Team(site.url)
        assert team.status().rights
        team.close()
