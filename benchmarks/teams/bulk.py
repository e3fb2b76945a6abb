"""What writing many turns to PostgreSQL at once costs, beside LMDB and beside a plain COPY of the same bytes.

Generates Claude-like sessions, commits them to LMDB and to a server with fsync as LMDB has it (raw,
turns, cursors; the server makes its relations, too), then writes the records that came of it to tables
of their own in four ways, a transaction for every 8 MiB:

- `plain_copy`: COPY into a table without an index, the least the server can do with these bytes;
- `copy`: COPY into a table with the records' key;
- `copy_staged`: COPY into a temporary table, and from there with `on conflict`: what may be done
  where keys may be there already;
- `unnest`: arrays and `on conflict` in one statement, which the program does.

`postgresql_without_words` commits without the index of words, from which the server answers a search.

What it showed: `unnest` takes 1.6 to 2.1 times as long as a plain COPY, `copy_staged` 2.1 to 2.8, since it
writes each row twice; `copy` is as fast as the plain one, but only fits keys that cannot be there, and the
records are less than a twentieth of a commit. Three quarters of one are the words of its texts, which COPY
would have to make as well. So the program does without COPY, and works in a pipeline, where COPY may not be.

Interleaved, median of the rounds, wall seconds (the server's work is not ours). Prints JSON: turns
per second, and how often `plain_copy`'s time each takes.

    python -m benchmarks.teams.bulk [MEGABYTES] [ROUNDS]
"""

import json
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import psycopg
from benchmarks.archive.corpus import sessions
from benchmarks.archive.storage import batches, commit
from benchmarks.teams.postgres import spent
from tests.postgres import Missing, Server

from dejavu.archive import Archive
from dejavu.archive.backends.pages import pages
from dejavu.archive.keys import TABLES

Rows = list[tuple[bytes, bytes]]
INDEXED = "create table {name} (key bytea primary key, value bytea not null)"
BARE = "create table {name} (key bytea not null, value bytea not null)"
EXTERNAL = "alter table {name} alter column value set storage external"


def records(place: Path) -> list[Rows]:
    """The store's records in pages of about 8 MiB."""
    with Archive.open(place) as archive:
        return archive.backend.read(
            lambda txn: [
                [(TABLES[table] + key, value) for table, key, value in page] for page in pages(txn)
            ]
        )


def copy_into(
    cursor: psycopg.Cursor[tuple[object, ...]], name: str, rows: Iterable[tuple[bytes, bytes]]
) -> None:
    with cursor.copy(f"copy {name} (key, value) from stdin (format binary)") as copy:
        copy.set_types(["bytea", "bytea"])
        for row in rows:
            copy.write_row(row)


def transactions(
    url: str, page: list[Rows]
) -> Iterator[tuple[psycopg.Cursor[tuple[object, ...]], Rows]]:
    with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
        for rows in page:
            with connection.transaction(), connection.cursor(binary=True) as cursor:
                yield cursor, rows


def copied(url: str, name: str, page: list[Rows]) -> None:
    for cursor, rows in transactions(url, page):
        copy_into(cursor, name, rows)


def staged(url: str, name: str, page: list[Rows]) -> None:
    for cursor, rows in transactions(url, page):
        cursor.execute(f"create temp table staged (like {name}) on commit drop")
        copy_into(cursor, "staged", rows)
        cursor.execute(
            f"insert into {name} select * from staged "
            "on conflict (key) do update set value = excluded.value"
        )


def unnested(url: str, name: str, page: list[Rows]) -> None:
    for cursor, rows in transactions(url, page):
        cursor.execute(
            f"insert into {name} select * from unnest(%b::bytea[], %b::bytea[]) "
            "on conflict (key) do update set value = excluded.value",
            ([key for key, _ in rows], [value for _, value in rows]),
        )


WAYS = {"plain_copy": copied, "copy": copied, "copy_staged": staged, "unnest": unnested}


def main() -> None:
    wanted = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 20_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    given = []
    for session in sessions(wanted):
        lines = list(session.lines())
        data = b"".join(line for line, _ in lines)
        given.append((session.path, session.summary(), data, [turn for _, turn in lines if turn]))
    turns = sum(len(one[3]) for one in given)
    made = batches(given)
    times: defaultdict[str, list[float]] = defaultdict(list)
    stored = 0
    try:
        server = Server({"fsync": "on", "full_page_writes": "on"})
    except Missing as why:
        print(json.dumps({"left out": str(why)}))
        return
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
            os.environ["DEJAVU_DATA_HOME"] = scratch
            for n in range(rounds):
                folder, url = Path(scratch) / f"round{n}", server.url(schema=server.new_schema())
                for name, place in (("lmdb", folder), ("postgresql", url)):
                    Archive.open(place).close()
                    times[name].append(spent(partial(commit, place, made, index=False)))
                schema = server.new_schema()
                Archive.open(server.url(schema=schema)).close()
                server.run(f"drop index {schema}.dejavu_parts_words")
                write_all = partial(commit, server.url(schema=schema), made, index=False)
                times["postgresql_without_words"].append(spent(write_all))
                page = records(folder)
                stored = sum(len(key) + len(value) for rows in page for key, value in rows)
                for way, write in WAYS.items():
                    name = f"{way}_{n}"
                    server.run((BARE if way == "plain_copy" else INDEXED).format(name=name))
                    server.run(EXTERNAL.format(name=name))
                    times[way].append(spent(partial(write, server.url(), name, page)))
                    server.run(f"drop table {name}")
    finally:
        server.stop()
    median = {name: statistics.median(taken) for name, taken in times.items()}
    print(
        json.dumps(
            {
                "turns": turns,
                "raw_bytes": sum(len(data) for _, _, data, _ in given),
                "record_bytes": stored,
                "turns_per_second": {name: round(turns / took) for name, took in median.items()},
                "to_plain_copy": {
                    name: round(took / median["plain_copy"], 2) for name, took in median.items()
                },
                "postgresql_to_lmdb": round(median["postgresql"] / median["lmdb"], 2),
                "load": round(os.getloadavg()[0], 1),
            }
        )
    )


if __name__ == "__main__":
    main()
