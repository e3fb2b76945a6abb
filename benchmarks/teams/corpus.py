"""A team's archive of any size, made in the database: millions of turns in minutes, not days.

Records are written as the program would write them (`COPY`, checksums and all; the blocks of some
thousand sessions are used again and again), the relations by the server from the same texts. A
conversation has 50 turns and a word of its own (`ticket` and its number, in the relations only).
200 machines, 100 workspaces, 24 months; words as rare as in a language (a Zipf law). There is no raw.
"""

import random
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import accumulate

import psycopg
from tests.postgres import Server

from dejavu.archive import Archive, conversations, log
from dejavu.archive.backends.transaction import wrap
from dejavu.archive.keys import META, TABLES, block_key, number_key
from dejavu.archive.log import load_meta
from dejavu.archive.records import Block, Entry, SummaryRecord, compress, pack, to_text
from dejavu.model import Conversation, Role, Text, Turn

TURNS = 50
"""Turns of a conversation."""
TEMPLATES = 1_000
HOSTS, WORKSPACES, MONTHS = 200, 100, 24
FIRST = datetime(2024, 11, 1, tzinfo=UTC).timestamp()
SPAN = MONTHS * 30.4 * 86_400
WORDS = 20_000
ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL)


def word(rank: int) -> str:
    """The word of a rank: the first are the most frequent."""
    letters = "etaoinshrdlucmfwypvbgk"
    text = ""
    rank += 7
    while rank:
        rank, letter = divmod(rank, len(letters))
        text += letters[letter]
    return f"{text}{'aeiou'[len(text) % 5]}n"


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Words, and how often each is or one before it."""
    weights = [1 / (rank + 3) for rank in range(WORDS)]
    return [word(rank) for rank in range(WORDS)], list(accumulate(weights))


def template(number: int) -> list[str]:
    """The texts of the turns of one session."""
    chance = random.Random(number)
    words, weights = vocabulary()
    texts: list[str] = []
    for turn in range(TURNS):
        said = chance.choices(words, cum_weights=weights, k=chance.choice((8, 20, 30, 45)))
        said.insert(3, f"src/{said[0]}/{said[1].title()}{said[2].title()}.py")
        texts.append(" ".join(said) + (f" error {number}x{turn}" if turn % 10 == 2 else ""))
    return texts


def summary(number: int, count: int) -> Conversation:
    """A conversation without its turns; `count` is how many there are of them."""
    start = FIRST + SPAN * number / count
    host = number * 7 % HOSTS
    return Conversation(
        id=f"c{number:09}", agent=("claude", "codex", "amp")[number % 3], native_id=f"n{number}",
        workspace=f"/srv/w{number * 13 % WORKSPACES}", instance=f"u{host}@host{host}",
        title=f"Session {number}", started_at=start, ended_at=start + 30.0 * TURNS,
        captured_at=start + 30.0 * TURNS, turn_count=TURNS,
    )  # fmt: skip


Pairs = Iterator[tuple[bytes, bytes]]


def records(count: int) -> Iterator[Callable[[], Pairs]]:
    """The records of all conversations, table by table, keys in order within each."""

    def blocks() -> Pairs:
        made: list[bytes] = []
        for number in range(1, count + 1):
            if len(made) < TEMPLATES:
                turns = [
                    Turn(seq=n, role=ROLES[n % 3], parts=(Text(text),), at=FIRST + n)
                    for n, text in enumerate(template(number % TEMPLATES))
                ]
                texts = [to_text(turn) for turn in turns]
                size = sum(map(len, texts))
                made.append(pack(Block(TURNS, size, 0, 0, [], compress(pack(texts), b""))))
            yield block_key(number, 0), made[(number - 1) % TEMPLATES]

    def summaries() -> Pairs:
        for number in range(1, count + 1):
            one = summary(number, count)
            record = SummaryRecord(
                number=number, conversation=to_text(one), prompt=to_text(f"prompt {number}")
            )
            yield one.id.encode(), pack(record)

    def orders(letter: bytes) -> Pairs:
        for number in range(1, count + 1):
            for key, entry in conversations.places(summary(number, count), number).items():
                if key[:1] == letter:
                    yield key, entry

    def entries() -> Pairs:
        for number in range(1, count + 1):
            entry = Entry("turns", f"c{number:09}", number, 0, TURNS, 0, FIRST)
            yield number_key(number), pack(entry)

    tables: dict[str, Callable[[], Pairs]] = {
        "turns": blocks, "summaries": summaries, "log": entries,
        "numbers": lambda: ((number_key(n), f"c{n:09}".encode()) for n in range(1, count + 1)),
    }  # fmt: skip
    for table, pairs in tables.items():
        yield lambda table=table, pairs=pairs: wrapped(table, pairs())  # type: ignore[misc]
    for letter in (b"d", b"w", b"i"):
        yield lambda letter=letter: wrapped("order", orders(letter))  # type: ignore[misc]


def wrapped(table: str, pairs: Pairs) -> Pairs:
    for key, value in pairs:
        whole = TABLES[table] + key
        yield whole, wrap(whole, value)


_RELATIONS = """
insert into dejavu_workspaces (name) select '/srv/w' || n from generate_series(0, {workspaces} - 1) n;
insert into dejavu_instances (name) select 'u' || n || '@host' || n from generate_series(0, {hosts} - 1) n;
insert into dejavu_conversations
  select n, 'c' || lpad(n::text, 9, '0'),
         (select id from dejavu_workspaces where name = '/srv/w' || n * 13 % {workspaces}),
         (select id from dejavu_instances i
           where md5(i.name) = md5('u' || n * 7 % {hosts} || '@host' || n * 7 % {hosts})),
         (array['claude', 'codex', 'amp'])[n % 3 + 1], 'n' || n, 'Session ' || n, 'prompt ' || n,
         at, at + interval '{seconds} s', at + interval '{seconds} s', 0, {turns}, '{{native}}'
    from generate_series(1, {count}) n, lateral (select to_timestamp({first} + {span} * n / {count}) as at) x;
select dejavu_partition(month::date)
  from (select distinct date_trunc('month', started_at at time zone 'UTC') from dejavu_conversations
        union select distinct date_trunc('month', ended_at at time zone 'UTC') from dejavu_conversations)
       x (month);
drop index if exists dejavu_parts_words;
"""
_TURNS = """
insert into dejavu_turns (conversation, seq, month, workspace, at, role, vector, model, usage)
  select c.number, t.seq, date_trunc('month', x.at at time zone 'UTC')::date, c.workspace, x.at, t.role,
         'native', 'a-model', '{{"input_tokens": 900, "output_tokens": 90}}'
    from dejavu_conversations c join corpus t on t.template = c.number % {templates},
         lateral (select c.started_at + t.seq * interval '30 s' as at) x
   where c.number between {low} and {high} order by c.number, t.seq;
insert into dejavu_parts (conversation, seq, part, month, workspace, type, content, length)
  select c.number, t.seq, 0, date_trunc('month', x.at at time zone 'UTC')::date, c.workspace, 'text',
         y.content, length(y.content)
    from dejavu_conversations c join corpus t on t.template = c.number % {templates},
         lateral (select c.started_at + t.seq * interval '30 s' as at) x,
         lateral (select t.content || ' ticket' || c.number as content) y
   where c.number between {low} and {high} order by c.number, t.seq;
"""


def fill(server: Server, url: str, turns: int, say: Callable[[str], None]) -> int:
    """Make the archive at `url`; return how many conversations it holds."""
    count = max(1, turns // TURNS)
    with Archive.open(url) as archive:
        schema = archive.backend.place.schema  # type: ignore[attr-defined]  # a server's backend
    with psycopg.connect(server.url(schema=schema), autocommit=True) as connection:
        connection.execute(b"set dejavu.program = 9")
        for pairs in records(count):
            with (
                connection.cursor() as cursor,
                cursor.copy("copy dejavu_records (key, value) from stdin (format binary)") as copy,
            ):
                copy.set_types(["bytea", "bytea"])
                for row in pairs():
                    copy.write_row(row)
        say("records")
        connection.execute(
            b"create unlogged table corpus (template int, seq int, role text, content text)"
        )
        with connection.cursor() as cursor, cursor.copy("copy corpus from stdin") as copy:
            for number in range(TEMPLATES):
                for seq, text in enumerate(template(number)):
                    copy.write_row((number, seq, str(ROLES[seq % 3]), text))
        given = {
            "workspaces": WORKSPACES, "hosts": HOSTS, "seconds": 30 * TURNS, "turns": TURNS, "count": count,
            "first": FIRST, "span": SPAN, "templates": TEMPLATES,
        }  # fmt: skip
        connection.execute(_RELATIONS.format(**given).encode())
    both(server, schema, [
        _TURNS.format(**given, low=low, high=low + 999).encode() for low in range(1, count + 1, 1_000)
    ])  # fmt: skip
    say("turns and parts")
    names = server.run(
        f"select inhrelid::regclass::text from pg_inherits where inhparent = '{schema}.dejavu_parts'::regclass"
    )
    both(
        server,
        schema,
        [f"create index on {name} using gin (dejavu_words(content))".encode() for (name,) in names],
    )
    with Archive.open(url) as archive:
        archive.backend.write(lambda txn: counted(txn, count))
    with psycopg.connect(server.url(schema=schema), autocommit=True) as connection:
        connection.execute(
            b"create index if not exists dejavu_parts_words on dejavu_parts using gin (dejavu_words(content))"
        )
        connection.execute(b"drop table corpus")
        # A program writes the conversation before its records, which then carry its workspace.
        connection.execute(b"update dejavu_records set workspace = null where workspace is null")
        connection.execute(b"vacuum analyze")
    say("indexes")
    return count


def counted(txn: "log.Writer", count: int) -> None:
    """Let the archive's own record tell what was put in beside it."""
    meta = load_meta(txn)
    assert meta is not None
    meta.conversations = meta.sequence = count
    meta.turns = count * TURNS
    txn.put("meta", META, pack(meta))


def both(server: Server, schema: str, statements: list[bytes]) -> None:
    """Run statements on two connections."""
    waiting = list(reversed(statements))
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with psycopg.connect(server.url(schema=schema), autocommit=True) as connection:
                connection.execute(b"set maintenance_work_mem = '1GB'")
                while waiting and not failed:
                    connection.execute(waiting.pop())
        except (psycopg.Error, IndexError) as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
