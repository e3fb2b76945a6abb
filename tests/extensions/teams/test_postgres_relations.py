"""The relations say what the archive says, whatever changed it; an older archive is brought up."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.postgres import Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.archive.backends.pages import pages
from dejavu.archive.backends.transaction import Writer
from dejavu.archive.redactor import archive_redactor
from dejavu.extensions.teams import postgres_migrations as migrations
from dejavu.extensions.teams.postgres_rows import clean, moment
from dejavu.extensions.teams.postgres_team import upgrade
from dejavu.model import (
    ArchiveError,
    Conversation,
    NewerFormatError,
    Role,
    Span,
    Text,
    ToolCall,
    Turn,
    TurnUpdate,
    Usage,
)
from dejavu.recall import Memory
from dejavu.redact.raw_mask import RawMask

ODD = "a\0b \ud800 \U0001f600 \\u0000 '; drop table x; --"


def turn(text: str, at: float | None = 1.7e9, role: Role = Role.USER) -> Turn:
    return Turn(role=role, parts=(Text(text), ToolCall("c1", "edit", {"x": text})), at=at)


def conversation(name: str, *texts: str, workspace: str = "/w") -> Conversation:
    return Conversation(
        id=name, agent="x", native_id=f"n-{name}", workspace=workspace, instance="ann@box"
    ).with_turns(tuple(turn(text) for text in texts))


def schema_of(url: str) -> str:
    return url.rpartition("%3D")[2]


def stored_turns(server: Server, url: str) -> dict[tuple[str, int], tuple[str, str]]:
    """(conversation, seq) -> (workspace, text), as the relations have them."""
    schema = schema_of(url)
    rows = server.run(
        f"select c.id, t.seq, w.name, (select p.content from {schema}.dejavu_parts p where p.conversation"
        " = t.conversation and p.seq = t.seq and p.part = 0 and p.workspace = t.workspace)"
        f" from {schema}.dejavu_turns t left join {schema}.dejavu_conversations c on c.number = t.conversation"
        f" join {schema}.dejavu_workspaces w on w.id = t.workspace"
    )
    found: dict[tuple[str, int], tuple[str, str]] = {}
    for name, seq, workspace, text in rows:
        key = (str(name), int(str(seq)))
        assert key not in found
        found[key] = (str(workspace), str(text))
    return found


def held_turns(archive: Archive) -> dict[tuple[str, int], tuple[str, str]]:
    return {
        (summary.id, one.seq): (summary.workspace, clean(one.text))
        for summary in archive.scan()
        for one in archive.turns(summary.id)
    }


names = st.sampled_from(["a", "b"])
texts = st.lists(st.sampled_from(["one", "two", "x" * 70_000, ODD]), max_size=5)
steps = st.lists(
    st.tuples(st.sampled_from(["put", "from", "prune", "move"]), names, texts, st.integers(0, 4)),
    max_size=6,
)


def apply(archive: Archive, step: tuple[str, str, list[str], int]) -> None:
    what, name, new, start = step
    if what == "put":
        archive.put(conversation(name, *new))
    elif what == "move":
        archive.put(conversation(name, *new, workspace=f"/w{start}"))
    elif what == "prune":
        archive.maintenance.prune(pattern=f"^{name}")
    else:
        update = TurnUpdate(conversation(name), start, tuple(map(turn, new)), "s")
        raw = [RawDelta(archive.sources.raw_length("s"), b"raw " * 50)]
        with suppress(ArchiveError):  # beyond its end
            archive.commit(Batch({"s": raw}, [update]))


def test_the_relations_follow_whatever_changes(server: Server, url: str) -> None:
    with Archive.open(url) as archive:

        @settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
        @given(steps)
        def follow(changes: list[Any]) -> None:
            for step in changes:
                apply(archive, step)
            expected = {k: (w, text[:65_536]) for k, (w, text) in held_turns(archive).items()}
            assert stored_turns(server, url) == expected

        follow()


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def leaning(archive: Archive, name: str) -> None:
    """Two turns whose blocks lean on raw, as those of every session log do."""
    lines = [f"{name} says the token is {SECRET}, {n} times over and over\n" * 4 for n in range(2)]
    spans = [Span(0, len(lines[0])), Span(len(lines[0]), len(lines[1]))]
    turns = [
        msgspec.structs.replace(turn(text), spans=(span,))
        for text, span in zip(lines, spans, strict=True)
    ]
    raw = {name: [RawDelta(0, "".join(lines).encode())]}
    archive.commit(Batch(raw, [TurnUpdate(conversation(name), 0, turns, name)]))


def texts_with(server: Server, url: str, words: str) -> list[tuple[object, ...]]:
    schema = schema_of(url)
    return server.run(
        f"select conversation, seq from {schema}.dejavu_parts where content like '%{words}%' union all "
        f"select number, 0 from {schema}.dejavu_conversations where prompt like '%{words}%'"
    )


def test_what_is_deleted_with_its_raw_is_in_no_relation(server: Server, url: str) -> None:
    """What its blocks held before cannot be read any more, once the raw is gone."""
    with Archive.open(url) as archive:
        for name in ("deleted", "pruned", "kept"):
            leaning(archive, name)
        assert len(texts_with(server, url, "deleted says")) == 5
        archive.maintenance.delete(("deleted",))
        archive.maintenance.prune(only=("pruned",))
        assert (
            texts_with(server, url, "deleted says") == texts_with(server, url, "pruned says") == []
        )
        assert stored_turns(server, url) == held_turns(archive)


def test_what_is_masked_in_raw_is_masked_in_every_relation(server: Server, url: str) -> None:
    with Archive.open(url) as archive:
        leaning(archive, "told")
        assert texts_with(server, url, SECRET)
        archive.maintenance.mask_source("told", RawMask(archive_redactor(), lambda _: True))
        assert SECRET not in archive.get("told").turns[0].text
        assert texts_with(server, url, SECRET) == []
        assert stored_turns(server, url) == held_turns(archive)


def test_an_upgrade_takes_out_what_older_programs_left_behind(server: Server, url: str) -> None:
    schema = schema_of(url)
    with Archive.open(url) as archive:
        for name in ("gone", "masked", "kept"):
            leaning(archive, name)
        archive.maintenance.mask_source("masked", RawMask(archive_redactor(), lambda _: True))
    # As a program of schema 16 leaves them: the rows of turns stay, or stay as they were.
    server.run(
        f"update {schema}.dejavu_parts set content = '{SECRET}' where conversation = (select number "
        f"from {schema}.dejavu_conversations where id = 'masked')"
    )
    server.run(f"drop trigger dejavu_forget_turns on {schema}.dejavu_conversations")
    server.run(
        f"set dejavu.program = 16; delete from {schema}.dejavu_conversations where id = 'gone'"
    )
    server.run(
        f"comment on table {schema}.dejavu_records is 'dejavu schema 7 readers 7 reached 16'"
    )
    upgrade(url, dry_run=False)
    with Archive.open(url) as archive:
        assert texts_with(server, url, "gone says") == []
        held = {key: turn for key, turn in held_turns(archive).items() if key[0] != "gone"}
        assert stored_turns(server, url) == held
        assert SECRET not in str(held["masked", 0])
        assert SECRET in str(held["kept", 0])


def test_a_deletion_by_an_older_program_leaves_nothing_behind(server: Server, url: str) -> None:
    schema = schema_of(url)
    with Archive.open(url) as archive:
        leaning(archive, "gone")
    server.run(
        f"set dejavu.program = 16; delete from {schema}.dejavu_conversations where id = 'gone'"
    )
    assert texts_with(server, url, "gone says") == []


def test_appending_a_turn_writes_one_row(server: Server, url: str) -> None:
    schema = schema_of(url)
    with Archive.open(url) as archive:
        archive.put(conversation("a", *map(str, range(60))))
        before = server.run(f"select seq, xmin::text from {schema}.dejavu_turns")
        archive.put(conversation("a", *map(str, range(61))))
        after = server.run(f"select seq, xmin::text from {schema}.dejavu_turns")
        assert len(set(after) - set(before)) == 1
        assert set(before) < set(after)


def test_what_lies_in_a_view(server: Server, url: str) -> None:
    views = migrations.views_schema(schema_of(url))
    usage = Usage(input_tokens=7, output_tokens=3)
    odd = Turn(role=Role.ASSISTANT, parts=(Text(ODD),), at=1e300, model="m", usage=usage)
    with Archive.open(url) as archive:
        told = conversation("a", "hello")
        archive.put(told.with_turns((*told.turns, odd)))
        archive.put(conversation("b", "hello"))
        archive.commit(Batch({"s": [RawDelta(0, b"raw" * 9)]}, (), {}, {}, {"s": ["a"]}))
        memory = Memory(archive)
        memory.remember("the walrus \0 sleeps")
        memory.recall("walrus")
    read = server.run
    columns = "id, workspace, instance, agent, native_id, turn_count"
    assert read(f"select {columns} from {views}.conversations where id = 'a'") == [
        ("a", "/w", "ann@box", "x", "n-a", 2)
    ]
    assert read(f"select seq, role, text from {views}.turns where conversation = 'a'") == [
        (0, "user", "hello"),
        (1, "assistant", clean(ODD)),
    ]
    assert read(f"select turns, prompts, conversations from {views}.daily") == [(2, 2, 2)]
    assert read(f"select usage->>'input_tokens' from {views}.turns where model = 'm'") == [("7",)]
    assert read(f"select text, confidence from {views}.memories") == [
        ("the walrus \ufffd sleeps", 0.5)
    ]
    assert read(f"select context from {views}.recall_log") == [("walrus",)]
    chunks = read(f'select name, generation, "offset" from {views}.raw_chunks')
    assert chunks == [("s", 0, 0)]
    assert read(f"select tool, arguments from {views}.edits limit 1") == [
        ("edit", '{"x": "hello"}')
    ]
    assert read(f"select name from {views}.workspaces") == [("/w",)]


def as_before(server: Server, url: str) -> str:
    """The URL of an archive with the same records as programs of before left it."""
    schema = server.new_schema()
    server.run(f"set search_path to {schema}; {migrations.statements('0001_records.sql')}")
    server.run(
        f"insert into {schema}.dejavu_records select key, value from "
        f"{schema_of(url)}.dejavu_records"
    )
    return server.url(schema=schema)


def test_an_archive_of_before_is_brought_up(server: Server, url: str) -> None:
    with Archive.open(url) as archive:
        for n in range(90):
            archive.put(conversation(f"c{n}", *map(str, range(n % 5 + 1))))
        expected = held_turns(archive)
    old = as_before(server, url)
    with Archive.open(old) as archive:
        assert held_turns(archive) == expected == stored_turns(server, old)
        archive.put(conversation("new", "one"))
        assert archive.maintenance.verify().faults == []
    comment = f"select obj_description('{schema_of(old)}.dejavu_records'::regclass)"
    assert server.run(comment) == [(f"dejavu schema 7 readers 7 reached {migrations.NEWEST}",)]
    for number, statements in migrations.steps(0):  # each can be run again
        server.run(f"set search_path to {schema_of(old)}; {statements}")
        assert number <= migrations.NEWEST
    with Archive.open(old) as archive:
        assert ("new", 0) in stored_turns(server, old)
    server.run(f"comment on table {schema_of(old)}.dejavu_records is 'dejavu schema 99'")
    with pytest.raises(NewerFormatError, match="has the schema 99"):
        Archive.open(old)


def test_a_program_of_before_cannot_write(server: Server, url: str) -> None:
    Archive.open(url).close()
    with pytest.raises(psycopg.Error, match="update dejavu-capture"):
        server.run(f"delete from {schema_of(url)}.dejavu_records")


def test_a_restored_archive_has_its_relations(server: Server, url: str, tmp_path: Path) -> None:
    with Archive.open(url) as archive:
        archive.put(conversation("a", "one", ODD))
        archive.maintenance.backup(tmp_path / "copy")
        expected = held_turns(archive)
        archive.put(conversation("b", "two"))
        records = copied(tmp_path / "copy")

        def fill(txn: Writer) -> None:
            for table, key, value in records:
                txn.put_stored(table, key, value)

        archive.backend.rebuild(fill)
        assert held_turns(archive) == expected == stored_turns(server, url)


def copied(folder: Path) -> list[tuple[str, bytes, bytes]]:
    with Archive.open(folder) as copy:
        return copy.backend.read(lambda txn: [one for page in pages(txn) for one in page])


def test_what_the_server_cannot_hold_is_replaced() -> None:
    assert clean(ODD).startswith("a\ufffdb \ufffd \U0001f600")
    assert clean("\ud83d\ude00") == "\U0001f600"
    assert moment(float("nan")) is moment(float("inf")) is moment(None) is None
    assert moment(-5.0) == -5.0
