"""A team's archive of many turns, read by a member whose server is 80 ms away, next to plain PostgreSQL.

Generates the turns in a database of its own (`corpus.py`; 10M take some five minutes and 7 GB, and
go again), turns rights on, and reads as a reader from whom 20 of 100 workspaces are hidden. Each operation is
run with other words, workspaces and conversations each time, on the server's machine (`server_ms`) and
through a proxy that holds every byte back for half a round trip each way (`far_ms`), once connected.
Nothing is indexed on this machine: the server searches and recalls. `read 30 hits` is what a search in an
own index fetches. `plain_ms` asks for the same by SQL, as a superuser, of one table of the same rows with a
stored tsvector, GIN and B-tree indexes. Prints JSON, with the statements' plans with --plans.

    python -m benchmarks.teams.far [TURNS] [--plans] [--trigrams] [--round-trip MILLISECONDS]
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

import psycopg
from benchmarks.teams import corpus
from tests.far import Far
from tests.postgres import PASSWORD, Missing, Server

from dejavu.archive import Archive
from dejavu.archive.keys import TABLES, block_key
from dejavu.extensions.teams import postgres_reader
from dejavu.extensions.teams.postgres_team import Team
from dejavu.interfaces.usage import usage
from dejavu.model import ConversationFilter
from dejavu.recall import Recall, inject

READER = "reader_far"
HIDDEN = 20
"""Workspaces that the reader may not see, the last ones."""
RECALLED = (3, 30, 200, 900, 3_000, 7_000)
"""Ranks of the words of a question."""
SETTINGS = {
    "shared_buffers": "1GB", "max_wal_size": "4GB", "wal_level": "minimal", "max_wal_senders": "0",
    "autovacuum": "off",
}  # fmt: skip
_PAUSE = 0.2  # seconds: the end of the reading before is sent and not waited for, unless more is asked at once
Work = Callable[[random.Random], object]


def operations(archive: Archive, count: int) -> dict[str, Work]:
    """What is measured; each takes chance, so that no run is the one before."""

    def words(*ranks: int) -> Callable[[random.Random], str]:
        return lambda chance: " ".join(
            corpus.word(rank + chance.randrange(rank // 4 + 2)) for rank in ranks
        )

    def search(query: Callable[[random.Random], str]) -> Work:
        return lambda chance: archive.search(query(chance), limit=20)

    def exactly(text: Callable[[random.Random], str]) -> Work:
        return lambda chance: archive.search(text(chance), exact=True, limit=20)

    def read_hits(chance: random.Random) -> None:
        with archive.views.shared():
            archive.views.expect_turns(
                [
                    (n, seq, seq + 1)
                    for n, seq in (
                        (chance.randrange(count) + 1, chance.randrange(50)) for _ in range(30)
                    )
                ]
            )

    recall = Recall(archive)

    def shared(chance: random.Random) -> int:
        while (number := chance.randrange(count) + 1) * 13 % corpus.WORKSPACES >= 80:
            pass  # its workspace is hidden
        return number

    def question(chance: random.Random) -> str:
        return f"why did we choose {words(*RECALLED)(chance)}?"

    return {
        "recall, everywhere": lambda chance: recall.search(question(chance)),
        "recall, in a workspace": lambda chance: recall.search(
            question(chance), workspace=f"/srv/w{chance.randrange(80)}"
        ),
        "injection, in a workspace": lambda chance: inject(
            archive, question(chance), session=f"s{chance.random()}",
            workspace=f"/srv/w{chance.randrange(80)}",
        ),
        "stats": lambda _: usage(archive, ConversationFilter(side=False), each=False, blocks=False),
        "stats, 30 days": lambda chance: usage(
            archive, ConversationFilter(since=corpus.FIRST + corpus.SPAN - 30 * 86_400.0 + chance.random()),
            each=False, blocks=False,
        ),
        "stats, a row a conversation": lambda _: usage(archive, ConversationFilter(), blocks=False),
        "list 50": lambda _: list(archive.scan(limit=50)),
        "list 50 of a workspace": lambda chance: list(
            archive.scan(limit=50, workspace=f"/srv/w{chance.randrange(80)}")
        ),
        "show 50 turns": lambda chance: archive.get(f"c{shared(chance):09}"),
        "read 30 hits": read_hits,
        "first search, one of the most frequent words": search(words(0)),
        "first search, a word of rank 200": search(words(200)),
        "first search, a word of rank 8,000": search(words(8_000)),
        "first search, frequent and rare word": search(words(30, 9_000)),
        "first search, a word of one conversation": search(
            lambda chance: f"ticket{chance.randrange(count) + 1}"
        ),
        "first search, a word that is nowhere": search(lambda chance: f"zq{chance.random()}"),
        "first search, a phrase of frequent words": search(
            lambda chance: f'"{corpus.word(chance.randrange(5))} {corpus.word(5 + chance.randrange(5))}"'
        ),
        "first exact search, a rare word": exactly(
            lambda chance: corpus.word(8_000 + chance.randrange(2_000))
        ),
        "first exact search, a frequent word": exactly(lambda _: corpus.word(200)),
        "first exact search, a piece that is nowhere": exactly(lambda chance: f"q{chance.random()}q"),
        "first search, a path": search(
            lambda chance: f"path:src/{corpus.word(chance.randrange(200))}"
        ),
        "first search, in a workspace": search(
            lambda chance: f"{words(200)(chance)} in:/srv/w{chance.randrange(80)}"
        ),
    }  # fmt: skip


_PLAIN = """
create table plain as
  select c.id, c.ended_at, c.workspace, c.title, p.conversation, p.seq, t.at, t.role, p.content,
         to_tsvector('simple', p.content) as words
    from {schema}.dejavu_parts p
    join {schema}.dejavu_turns t on t.conversation = p.conversation and t.seq = p.seq and t.month = p.month
    join {schema}.dejavu_conversations c on c.number = p.conversation;
create table plain_heads as select * from {schema}.dejavu_conversations;
create index on plain using gin (words); create index on plain_heads (ended_at);
vacuum analyze plain; vacuum analyze plain_heads
"""
_NEWEST = "select id, seq, role, at, content from plain where words @@ %s::tsquery order by at desc limit 20"
_RANKED = (
    "select id, seq, role, at, content from plain where words @@ %s::tsquery "
    "order by ts_rank_cd(words, %s::tsquery) desc limit 10"
)


def plain(server: Server, schema: str, runs: int) -> dict[str, list[float]]:
    """Milliseconds of what plain SQL takes for the same questions, in order."""
    chance = random.Random(7)
    for statement in _PLAIN.format(schema=schema).split(";"):
        server.run(statement)

    def rank(*ranks: int) -> list[str]:
        return [corpus.word(one + chance.randrange(one // 4 + 2)) for one in ranks]

    asked: dict[str, Callable[[], tuple[str, tuple[str, ...]]]] = {
        "list 50": lambda: ("select * from plain_heads order by ended_at desc limit 50", ()),
        "a word of rank 200": lambda: (_NEWEST, tuple(rank(200))),
        "a word of rank 8,000": lambda: (_NEWEST, tuple(rank(8_000))),
        "a phrase of frequent words": lambda: (_NEWEST, (" <-> ".join(rank(3, 8)),)),
        "any of a question's words, by ts_rank_cd": lambda: (
            _RANKED, (" | ".join(rank(*RECALLED)),) * 2,
        ),
    }  # fmt: skip
    spent: dict[str, list[float]] = {}
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(b"set jit = off")
        for name, make in asked.items():
            times: list[float] = []
            for _ in range(runs + 1):
                statement, values = make()
                start = time.perf_counter()
                connection.execute(statement.encode(), values).fetchall()
                times.append(1e3 * (time.perf_counter() - start))
            spent[name] = sorted(times[1:])
    return spent


def timed(url: str, count: int, runs: int) -> dict[str, list[float]]:
    """Milliseconds of each operation, in order; the first of each is not counted."""
    chance = random.Random(7)
    with Archive.open(url) as archive:
        spent: dict[str, list[float]] = {}
        for name, work in operations(archive, count).items():
            times: list[float] = []
            for _ in range(runs + 1):
                time.sleep(_PAUSE)
                start = time.perf_counter()
                work(chance)
                times.append(1e3 * (time.perf_counter() - start))
            spent[name] = sorted(times[1:])
        return spent


def plans(server: Server, schema: str, count: int) -> dict[str, list[str]]:
    """How the server answers the statements behind a screen, as the reader."""
    low, high = (block_key(count // 2, n) for n in (0, 50))
    letter = TABLES["turns"]
    spans = [letter + block_key(count // 2, 0)], [letter + low], [letter + high]
    given: dict[str, tuple[str, tuple[object, ...]]] = {
        "list": (postgres_reader._LISTING, (b"Od", b"Oe", 256)),
        "blocks of turns": (postgres_reader._GET_SPANS, spans),
        "summaries by number": (postgres_reader._GET_CONVERSATIONS, ([1, 2, 3],)),
    }
    made: dict[str, list[str]] = {}
    with psycopg.connect(server.url(schema=schema)) as connection:
        connection.execute(f"set role {READER}".encode())
        for name, (statement, values) in given.items():
            rows = connection.execute(
                f"explain (analyze, buffers, costs off, timing off) {statement}".encode(), values
            )
            made[name] = [str(row[0]) for row in rows]
        connection.execute(b"reset role")
        month = connection.execute(
            b"select max(relname::text) from pg_class where relname ~ '^dejavu_parts_2025_..$'"
        ).fetchone()
        assert month is not None
        rows = connection.execute(
            f"explain (analyze, buffers, costs off, timing off) select * from {month[0]} p "
            f"where dejavu_words(content) @@ '{corpus.word(8_000)}'::tsquery limit 2000".encode()
        )
        made["a month of a search"] = [str(row[0]) for row in rows]
    return made


def sizes(server: Server, schema: str) -> dict[str, int]:
    """Bytes on the server by kind, indexes apart."""
    rows = server.run(
        "select case when relname ~ 'parts.*(said|trigrams)' then 'index of trigrams' "
        "when relname ~ 'parts.*words|_expr_idx|dejavu_words_idx' then 'index of words' "
        "when relname ~ 'records' then 'records' when relname ~ 'turns' then 'turns' "
        "when relname ~ 'parts' then 'parts' else 'conversations and the rest' end, "
        "sum(pg_relation_size(c.oid))::bigint from pg_class c "
        f"where relnamespace = '{schema}'::regnamespace and relkind in ('r', 'i', 't') group by 1"
    )
    return {str(kind): int(str(size)) for kind, size in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("turns", nargs="?", type=lambda text: int(float(text)), default=200_000)
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--trigrams", action="store_true", help="with pg_trgm, for exact search")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--round-trip", type=float, default=80.0)
    asked = parser.parse_args()
    try:
        server = Server(SETTINGS)
    except Missing as why:
        print(json.dumps({"left out": str(why)}))
        return
    began = time.monotonic()

    def say(done: str) -> None:
        print(f"{time.monotonic() - began:.0f} s: {done}", file=sys.stderr, flush=True)

    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
            os.environ["DEJAVU_DATA_HOME"] = os.environ["DEJAVU_STATE_HOME"] = scratch
            schema = server.new_schema()
            url = server.url(schema=schema)
            count = corpus.fill(server, url, asked.turns, say)
            if asked.trigrams:
                server.run("create extension pg_trgm")
            team = Team(url)
            team.init()
            say("rights, and where asked for trigrams")
            team.invite(READER, "reader", None, None)
            for number in range(corpus.WORKSPACES - HIDDEN, corpus.WORKSPACES):
                team.set_private(f"/srv/w{number}", hidden=True)
            team.close()
            server.run("vacuum analyze")  # autovacuum does it in life
            server.run(f"alter role {READER} password '{PASSWORD}'")
            far = Far(server, asked.round_trip / 1e3)
            spent = {
                "server": timed(url.replace("//keeper@", f"//{READER}@"), count, asked.runs),
                "far": timed(
                    far.url(schema).replace("//keeper:", f"//{READER}:"), count, asked.runs
                ),
                "plain": plain(server, schema, asked.runs),
            }
            answer: dict[str, object] = {
                "turns": count * corpus.TURNS, "conversations": count, "round_trip_ms": asked.round_trip,
                "bytes": sizes(server, schema), "load": round(os.getloadavg()[0], 1),
            }  # fmt: skip
            for where, by_name in spent.items():
                answer[f"{where}_ms"] = {
                    name: {
                        "p50": round(statistics.median(times), 1),
                        "p95": round(times[int(0.95 * (len(times) - 1))], 1),
                    }
                    for name, times in by_name.items()
                }
            if asked.plans:
                answer["plans"] = plans(server, schema, count)
            print(json.dumps(answer, indent=1))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
