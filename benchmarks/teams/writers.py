"""Many writers of a team's archive, each 80 ms away: what a small commit waits, and how many are refused.

Starts a server, turns rights on, and lets each writer, with its own login behind a proxy that holds every byte
back for half a round trip each way, add a turn with its raw to one of its conversations every few seconds: a
tenth of them begin a new one. Prints JSON: the milliseconds of a commit, how many were refused, how many the
server has a second; then what was archived is verified and counted. Ends with 1 where anything was refused,
lost or doubled, or the 95th percentile is above 400 ms. `--locked` writes as programs up to schema 9 did: under
the writer's place from the first look on.

    python -m benchmarks.teams.writers [WRITERS] [--seconds N] [--pace SECONDS] [--round-trip MS] [--locked]
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time

from tests.far import Far
from tests.postgres import PASSWORD, Missing, Server

from dejavu.archive import Archive, Batch, RawDelta
from dejavu.extensions.teams import postgres_writing
from dejavu.extensions.teams.postgres_backend import PostgresBackend
from dejavu.extensions.teams.postgres_team import Team
from dejavu.model import ArchiveError, Conversation, Role, Text, Turn, TurnUpdate

SLOWEST = 400.0
"""Milliseconds that 95 of 100 small commits may take."""
START = 20.0
"""Seconds in which the writers' programs start."""
WORDS = (
    "the",
    "retry",
    "budget",
    "of",
    "a",
    "gateway",
    "runs",
    "dry",
    "its",
    "timer",
    "never",
    "starts",
)


class Writer:
    """One member's program: it adds turns until its time is over."""

    def __init__(self, url: str, name: str, pace: float) -> None:
        self.name, self._url, self._pace = name, url, pace
        self._spread = 0.75 * START  # seconds in which it starts
        self._chance = random.Random(name)
        self.milliseconds: list[float] = []
        self.refused: list[str] = []
        self.turns: dict[str, int] = {}

    def work(self, start: threading.Event, until: float) -> None:
        """Commit at the pace of a person, each at its own moments."""
        time.sleep(self._chance.random() * self._spread)
        with self._opened() as archive:
            self._try(archive)  # connected, and its plans made
            start.wait()
            time.sleep(self._chance.random() * self._pace)
            while time.monotonic() < until:
                began = time.perf_counter()
                self._try(archive)
                spent = time.perf_counter() - began
                self.milliseconds.append(1e3 * spent)
                time.sleep(max(0.0, self._pace * (0.5 + self._chance.random()) - spent))

    def _opened(self) -> Archive:
        backend = PostgresBackend(self._url, create=False)
        backend.users = 1
        return Archive(backend)

    def _try(self, archive: Archive) -> None:
        try:
            self._commit(archive)
        except ArchiveError as error:
            self.refused.append(str(error))

    def _commit(self, archive: Archive) -> None:
        conversation, seq, batch = self._made()
        archive.commit(batch)
        self.turns[conversation] = seq + 1

    def _made(self) -> tuple[str, int, Batch]:
        """A turn of one of its conversations: which, its number, and what is to be written."""
        conversation = f"{self.name}-{len(self.turns)}"
        if self.turns and self._chance.random() > 0.1:
            conversation = self._chance.choice(sorted(self.turns))
        seq = self.turns.get(conversation, 0)
        text = " ".join(self._chance.choices(WORDS, k=60))
        turn = Turn(
            seq=seq, role=(Role.USER, Role.ASSISTANT)[seq % 2], parts=(Text(text),), at=time.time()
        )
        summary = Conversation(
            id=conversation, agent="claude", native_id=conversation, instance=f"{self.name}@here",
            workspace=f"/srv/w{hash(self.name) % 40}",
        ).with_turns((turn,))  # fmt: skip
        raw = f"{seq:09}{text:490.490}\n".encode()
        batch = Batch(
            raw={conversation: [RawDelta(seq * len(raw), raw)]},
            updates=[TurnUpdate(summary, seq, (turn,), conversation)],
            cursors={conversation: b"%d" % seq},
            links={conversation: [conversation]},
        )
        return conversation, seq, batch


def run(server: Server, asked: argparse.Namespace) -> dict[str, object]:
    """What happened, as JSON."""
    schema = server.new_schema()
    url = server.url(schema=schema)
    Archive.open(url).close()
    team = Team(url)
    team.init()
    names = [f"writer_{n}" for n in range(asked.writers)]
    for name in names:
        team.invite(name, "writer", None, f"{name}@here")
        server.run(f"alter role {name} password '{PASSWORD}'")
    team.close()
    far = Far(server, asked.round_trip / 1e3)
    writers = [
        Writer(far.url(schema).replace("//keeper:", f"//{name}:"), name, asked.pace)
        for name in names
    ]
    start, until = threading.Event(), time.monotonic() + asked.seconds + START
    threads = [threading.Thread(target=one.work, args=(start, until)) for one in writers]
    for thread in threads:
        thread.start()
    time.sleep(START)
    start.set()
    for thread in threads:
        thread.join()
    with Archive.open(url) as archive:
        held = {one.id: one.turn_count for one in archive.scan()}
        faults = archive.maintenance.verify().faults
    expected = {name: count for one in writers for name, count in one.turns.items()}
    spent = sorted(ms for one in writers for ms in one.milliseconds)
    refused = [why for one in writers for why in one.refused]
    return {
        "writers": asked.writers, "round_trip_ms": asked.round_trip, "commits": len(spent),
        "a_second": round(len(spent) / asked.seconds, 1), "refused": len(refused),
        "why": sorted(set(refused))[:3],
        "ms": {
            "p50": round(statistics.median(spent)), "p95": round(spent[int(0.95 * (len(spent) - 1))]),
            "most": round(spent[-1]),
        },
        "lost_or_doubled": sum(held.get(name) != count for name, count in expected.items()),
        "faults": faults, "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("writers", nargs="?", type=int, default=140)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--pace", type=float, default=4.0, help="seconds between two commits of a writer"
    )
    parser.add_argument("--round-trip", type=float, default=80.0)
    parser.add_argument("--locked", action="store_true")
    asked = parser.parse_args()
    if asked.locked:
        postgres_writing.WITH_COMMIT = sys.maxsize
    try:
        server = Server({"max_connections": str(asked.writers + 20), "fsync": "on"})
    except Missing as why:
        print(json.dumps({"left out": str(why)}))
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
            os.environ["DEJAVU_DATA_HOME"] = scratch
            answer = run(server, asked)
    finally:
        server.stop()
    print(json.dumps(answer, indent=1))
    return int(
        bool(answer["refused"] or answer["lost_or_doubled"] or answer["faults"])
        or answer["ms"]["p95"] > SLOWEST
    )  # type: ignore[index]  # a dict of figures


if __name__ == "__main__":
    sys.exit(main())
