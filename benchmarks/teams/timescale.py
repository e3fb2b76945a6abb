"""What TimescaleDB would save: generated turns as an archive has them, and in a compressed hypertable.

PostgreSQL as WebAssembly (`tests/timescale.py`), so sizes and refusals tell something, times only next to each
other. Prints bytes, the time of daily sums (of all turns, a continuous aggregate, the archive's own sums) and
what TimescaleDB says of the tables that an archive really has.

    python -m benchmarks.teams.timescale [TURNS]
"""

import argparse
import os
import sys
import tempfile
import time

import psycopg
from tests.postgres import Missing
from tests.timescale import InMemory

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import Conversation, Role, Text, Turn

LONG = 200  # turns of a conversation
_MOVE = """
create table cold (like dejavu_turns);
alter table cold alter column at set not null;
select create_hypertable('cold', 'at', chunk_time_interval => interval '1 month');
insert into cold select * from dejavu_turns;
create unique index on cold (conversation, seq, at)
"""
_COMPRESS = """
alter table cold set (timescaledb.compress, timescaledb.compress_segmentby = 'workspace',
                      timescaledb.compress_orderby = 'conversation, seq');
select compress_chunk(c) from show_chunks('cold') c
"""
_DAILY = """
create materialized view cold_daily with (timescaledb.continuous) as
select time_bucket('1 day', at) as day, workspace, model, count(*) as turns
  from cold group by 1, 2, 3 with no data;
call refresh_continuous_aggregate('cold_daily', null, null)
"""
_SUMS = {
    "all turns": "select date_trunc('day', at), workspace, model, count(*) from cold_or_not group by 1, 2, 3",
    "continuous aggregate": "select * from cold_daily",
    "the archive's sums": "select day, workspace, model, turns from dejavu.daily",
}
_REFUSED = {
    "a table with months of its own": "select create_hypertable('dejavu_turns', 'month')",
    "row security and compression": (
        "alter table cold disable trigger user; alter table cold enable row level security"
    ),
    "sums by a trigger on deleted rows": (
        "create trigger gone after delete on cold referencing old table as gone "
        "for each statement execute function dejavu_usage_gone()"
    ),
}


def fill(archive: Archive, turns: int) -> None:
    """Conversations of 20 projects over eight months."""
    for number in range(max(1, turns // LONG)):
        start = 1.735e9 + number * 20_000_000 / max(1, turns // LONG)
        said = (
            Turn(role=Role.USER if n % 2 == 0 else Role.ASSISTANT, at=start + n * 30, model="m" * (n % 2),
                 native_id=f"{number:08x}-{n:04x}", parts=(Text(f"turn {n} of {number}"),))
            for n in range(LONG)
        )  # fmt: skip
        archive.put(
            Conversation(
                id=f"c{number}", agent="claude", native_id=f"n{number}", workspace=f"/srv/w{number % 20}",
                instance="ann@box",
            ).with_turns(tuple(said))
        )  # fmt: skip


def measure(server: InMemory) -> None:
    """Print the tables."""
    keeper = "keeper"

    def size(of: str) -> int:
        return int(server.run(f"select {of}", keeper)[0][0])

    months = "from pg_inherits where inhparent = 'dejavu_turns'::regclass"
    native = size(f"sum(pg_total_relation_size(inhrelid)) {months}")
    tables = "from pg_class where relname ~ '^dejavu_' and relkind = 'r'"
    archive = size(f"sum(pg_total_relation_size(oid)) {tables}")
    for statement in _MOVE.split(";"):
        server.run(statement, keeper)
    loose = size("hypertable_size('cold')")
    for statement in _COMPRESS.split(";"):
        server.run(statement, keeper)
    packed = size("hypertable_size('cold')")
    print(
        f"turns: {native / 1e6:.2f} MB of {archive / 1e6:.2f}; as a hypertable {loose / 1e6:.2f}, compressed "
        f"{packed / 1e6:.2f}: the archive would be {(native - packed) / archive:.0%} smaller"
    )
    for statement in _DAILY.split(";"):
        server.run(statement, keeper)
    for name, statement in _SUMS.items():
        began = time.perf_counter()
        rows = server.run(statement.replace("cold_or_not", "dejavu_turns"), keeper)
        print(
            f"daily sums from {name}: {(time.perf_counter() - began) * 1_000:.0f} ms, {len(rows)} rows"
        )
    for name, statement in _REFUSED.items():
        try:
            server.run(statement, keeper)
            print(f"{name}: taken")
        except psycopg.Error as error:
            print(f"{name}: {error.diag.message_primary}")


def main() -> int:
    """Measure, and end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("turns", nargs="?", type=int, default=20_000)
    asked = parser.parse_args()
    try:
        server = InMemory()
    except Missing as why:
        print(why)
        return 0
    try:
        os.environ["DEJAVU_DATA_HOME"] = tempfile.mkdtemp()
        with Archive.open(server.url()) as archive:
            fill(archive, asked.turns)
        team = Team(server.url())
        team.init()
        team.close()
        measure(server)
    finally:
        server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
