"""What rights cost a member: every write and read of a writer beside the same by the keeper, in one run.

Generates turns in 1, 100, 400 and 1,000 workspaces on a server (`corpus.py`), turns rights on, and hides one
workspace, so that the server has to judge every record. The keeper and the writer, each on a connection
of its own, do the same work in turns: 20 conversations of 64 turns written, a batch of raw, a list, a
conversation, all counts, and searches by the server (a word, a phrase, an exact text), other words each time.
Wall seconds, because the server's work is not ours; the median of the rounds. Prints JSON, and ends with 1
where the writer takes more than 3 times as long as the keeper.

    python -m benchmarks.teams.members [TURNS] [--workspaces N ...] [--rounds N] [--trigrams]
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from benchmarks.teams import corpus
from tests.postgres import Missing, Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import Conversation, Text, Turn

WRITER = "writer_of_many"
MOST = 3.0
"""How many times as long as the keeper a member may take."""
WRITTEN, TURNS, MEMBERS = 20, 64, 300
PRIVATE = 99
Work = Callable[[Archive, str, random.Random], object]


def session(name: str, instance: str, chance: random.Random) -> Conversation:
    """A conversation of the member's, in one of the workspaces that all may see."""
    words, weights = corpus.vocabulary()
    now = time.time()
    turns = tuple(
        Turn(seq=n, role=corpus.ROLES[n % 3], at=now + n,
             parts=(Text(" ".join(chance.choices(words, cum_weights=weights, k=25))),))
        for n in range(TURNS)
    )  # fmt: skip
    return Conversation(
        id=name, agent="claude", native_id=name, instance=instance,
        workspace=f"/srv/w{chance.randrange(min(90, corpus.WORKSPACES))}",
    ).with_turns(turns)  # fmt: skip


def write_turns(archive: Archive, who: str, chance: random.Random) -> None:
    batch = f"{who}-{chance.random()}"
    for n in range(WRITTEN):
        archive.put(session(f"{batch}-{n}", f"{who}@here", chance))


def write_raw(archive: Archive, who: str, chance: random.Random) -> None:
    name = f"{who}-{chance.random()}"
    for n in range(10):
        archive.commit(Batch({f"{name}-{n}": [RawDelta(0, chance.randbytes(9_000))]}))


def readable(chance: random.Random, count: int) -> int:
    """The number of a conversation that is not in the private workspace."""
    while (number := chance.randrange(count) + 1) * 13 % corpus.WORKSPACES == PRIVATE:
        pass
    return number


def operations(count: int) -> dict[str, Work]:
    """What is measured. Reads take chance from the caller, the same for both."""

    def text(rank: int, chance: random.Random) -> str:
        return corpus.word(rank + chance.randrange(rank // 4 + 2))

    def phrase(chance: random.Random) -> str:
        return f'"{corpus.word(chance.randrange(5))} {corpus.word(5 + chance.randrange(5))}"'

    return {
        "write 1,280 turns": write_turns,
        "write 10 raw sources": write_raw,
        "list 5 times": lambda archive, _, __: [list(archive.scan(limit=50)) for _ in range(5)],
        "list 20 workspaces": lambda archive, _, chance: [
            list(
                archive.scan(
                    limit=50, workspace=f"/srv/w{chance.randrange(min(90, corpus.WORKSPACES))}"
                )
            )
            for _ in range(20)
        ],
        "show 20 conversations": lambda archive, _, chance: [
            archive.get(f"c{readable(chance, count):09}") for _ in range(20)
        ],
        "count all": lambda archive, _, __: archive.counts(),
        "search a frequent word": lambda archive, _, chance: archive.search(text(30, chance)),
        "search a rare word": lambda archive, _, chance: archive.search(text(8_000, chance)),
        "search a phrase": lambda archive, _, chance: archive.search(phrase(chance)),
        "search an exact text": lambda archive, _, chance: archive.search(
            text(2_000, chance), exact=True
        ),
    }


@contextmanager
def opened(url: str) -> Iterator[Archive]:
    """The archive on a connection of its own."""
    backend = PostgresBackend(url, create=False)
    backend.users = 1
    with Archive(backend) as archive:
        yield archive


def measured(urls: dict[str, str], count: int, rounds: int) -> dict[str, dict[str, list[float]]]:
    """Seconds by operation and member, interleaved; the first of each is not counted."""
    spent: dict[str, dict[str, list[float]]] = {}
    with opened(urls["keeper"]) as keeper, opened(urls["member"]) as member:
        archives = {"keeper": keeper, "member": member}
        for name, work in operations(count).items():
            taken = spent.setdefault(name, {who: [] for who in archives})
            for n in range(rounds + 1):
                for who in sorted(archives, reverse=bool(n % 2)):
                    login = WRITER if who == "member" else who
                    start = time.perf_counter()
                    work(archives[who], login, random.Random(f"{name}{n}"))
                    if n:
                        taken[who].append(time.perf_counter() - start)
    return spent


def made(server: Server, url: str, turns: int, *, trigrams: bool) -> int:
    """Fill the archive, turn rights on, and make the member; return how many conversations it holds."""
    count = corpus.fill(server, url, turns, lambda _: None)
    if trigrams:
        server.run("create extension pg_trgm")
    team = Team(url)
    team.init()
    for n in range(MEMBERS - 1):
        team.invite(f"reader_{n}", "reader", None, None)
    team.invite(WRITER, "writer", None, f"{WRITER}@here")
    team.set_private(f"/srv/w{PRIVATE}", hidden=True)
    team.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(b"vacuum analyze")
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("turns", nargs="?", type=lambda text: int(float(text)), default=20_000)
    parser.add_argument("--workspaces", type=int, nargs="+", default=[1, 100, 400, 1_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trigrams", action="store_true", help="with pg_trgm, for exact search")
    asked = parser.parse_args()
    seconds: dict[str, dict[str, str]] = {}
    worst = 0.0
    for workspaces in asked.workspaces:
        try:
            rows = of_one_archive(workspaces, asked)
        except Missing as why:
            print(json.dumps({"left out": str(why)}))
            return 0
        for name, row in rows.items():
            ratio = row["member"] / row["keeper"]
            worst = max(worst, ratio)
            text = f"{row['keeper']:.3f} {row['member']:.3f} x{ratio:.2f}"
            seconds.setdefault(name, {})[str(workspaces)] = text
    answer = {
        "turns": asked.turns, "most": MOST, "worst": round(worst, 2), "load": round(os.getloadavg()[0], 1),
        "seconds of keeper, member and their ratio, by workspaces": seconds,
    }  # fmt: skip
    print(json.dumps(answer, indent=1))
    return int(worst > MOST)


def of_one_archive(workspaces: int, asked: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Median seconds by operation and member, on a fresh server."""
    corpus.WORKSPACES = workspaces
    server = Server({"shared_buffers": "512MB", "max_wal_size": "4GB"})
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
            os.environ["DEJAVU_DATA_HOME"] = scratch
            url = server.url(schema=server.new_schema())
            count = made(server, url, asked.turns, trigrams=asked.trigrams)
            urls = {"keeper": url, "member": url.replace("//keeper@", f"//{WRITER}@")}
            spent = measured(urls, count, asked.rounds)
    finally:
        server.stop()
    return {
        name: {who: statistics.median(times) for who, times in taken.items()}
        for name, taken in spent.items()
    }


if __name__ == "__main__":
    sys.exit(main())
