"""How long a search takes as the archive grows from 10,000 to 1,000,000 turns.

Turns are generated from real fragments (prose and code of this Python's library) and put in
conversations of 50. At each size the same kinds of question are asked, warm and in process: one
to three words, a phrase, an identifier, a prefix (long and of two letters), words with a filter,
words since a moment (nearly all of the time, its last fifth, its last hundredth), and letters as
they stand, which the index of exact text finds (some of a line of code; some that are nowhere).
`without_exact` is every question but those last two kinds.
Prints JSON: milliseconds (median, 95th percentile; wall and CPU) by size and kind, CPU to build
(exact text apart), bytes on disk.

    python -m benchmarks.archive.search [TURNS ...]
"""

import json
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.archive.corpus import START, prose, sources

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.model import Conversation, Role, Text, ToolCall, Turn, conversation_id

TURNS = 50  # a conversation
CONVERSATIONS = 40  # a commit
QUESTIONS = 60  # of each kind


def conversations(first: int, last: int) -> Iterator[tuple[Conversation, list[Turn]]]:
    chance = random.Random(first)
    texts, code = prose(), sources()
    for number in range(first, last):
        at = START + number * 600.0
        turns: list[Turn] = []
        for n in range(TURNS):
            path, body = chance.choice(code)
            place = chance.randrange(max(1, len(body) - 300))
            said = f"{chance.choice(texts)}\n{body[place : place + chance.randrange(300)]}"
            part = (
                Text(said) if n % 4 else ToolCall(f"t{n}", "Edit", {"file_path": path, "new": said})
            )
            role = (Role.ASSISTANT, Role.USER)[n % 2 and n % 4 != 0]
            turns.append(Turn(role=role, parts=(part,), at=at + n))
        summary = Conversation(
            id=conversation_id("agent", "box", str(number)),
            agent=("claude", "codex", "amp")[number % 3],
            workspace=f"/home/dev/projects/service-{number % 40}",
            native_id=str(number),
        )
        yield summary, turns


def grow(archive: Archive, first: int, last: int) -> float:
    """CPU seconds to add conversations `first`..`last`, generating them left out."""
    spent = 0.0
    with archive.indexing():
        for low in range(first, last, CONVERSATIONS):
            given = list(conversations(low, min(last, low + CONVERSATIONS)))
            start = time.process_time()
            archive.commit(
                Batch(updates=[TurnUpdate(summary, 0, turns) for summary, turns in given])
            )
            spent += time.process_time() - start
        start = time.process_time()
    return spent + time.process_time() - start


def questions(last: int) -> dict[str, list[tuple[str, dict[str, object]]]]:
    """The questions, where there are `last` conversations."""
    chance = random.Random(7)
    lines = [line.strip() for _, text in sources() for line in text.splitlines() if len(line) > 50]

    def since(share: float) -> dict[str, object]:
        return {"since": START + share * last * 600.0}

    words = [paragraph.split() for paragraph in prose()]
    names = [
        name
        for _, text in sources()
        for name in text.split()
        if "_" in name and name.isidentifier()
    ]

    def some(count: int) -> str:
        return " ".join(chance.sample(chance.choice(words), count))

    def run(count: int) -> str:
        line = chance.choice(words)
        place = chance.randrange(len(line) - count + 1)
        return " ".join(line[place : place + count]).replace('"', "")

    made: dict[str, list[tuple[str, dict[str, object]]]] = {
        "one_word": [(some(1), {}) for _ in range(QUESTIONS)],
        "two_words": [(some(2), {}) for _ in range(QUESTIONS)],
        "three_words": [(some(3), {}) for _ in range(QUESTIONS)],
        "phrase": [(f'"{run(3)}"', {}) for _ in range(QUESTIONS)],
        "identifier": [(chance.choice(names), {}) for _ in range(QUESTIONS)],
        "path": [(chance.choice(sources())[0], {}) for _ in range(QUESTIONS)],
        "prefix": [(f"{chance.choice(names)[:5]}*", {}) for _ in range(QUESTIONS)],
        "filtered": [(some(2), {"agent": "codex", "role": "user"}) for _ in range(QUESTIONS)],
        "prefix_short": [(f"{chance.choice(names).strip('_')[:2]}*", {}) for _ in range(QUESTIONS)],
        "since": [(some(2), {"since": START + 86_400.0}) for _ in range(QUESTIONS)],
        "since_fifth": [(some(2), since(0.8)) for _ in range(QUESTIONS)],
        "since_hundredth": [(some(2), since(0.99)) for _ in range(QUESTIONS)],
        "exact": [(chance.choice(lines)[3:33], {"exact": True}) for _ in range(QUESTIONS)],
        "exact_nowhere": [
            (f"{chance.choice(names)}#{number:04}", {"exact": True}) for number in range(QUESTIONS)
        ],
    }
    return made


def measured(archive: Archive, last: int) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    every: list[tuple[float, float]] = []
    for kind, asked in questions(last).items():
        taken: list[tuple[float, float]] = []
        for text, wanted in asked:
            start, cpu = time.perf_counter(), time.process_time()
            archive.search(text, limit=20, **wanted)  # type: ignore[arg-type]
            taken.append((time.perf_counter() - start, time.process_time() - cpu))
        result[kind] = summary(taken)
        every += taken
    result["all"] = summary(every)
    result["without_exact"] = summary(every[: -2 * QUESTIONS])
    return result


def summary(taken: list[tuple[float, float]]) -> dict[str, float]:
    """Wall says what a person waits, CPU what it costs however busy the machine is."""
    wall, cpu = ([1e3 * pair[which] for pair in taken] for which in (0, 1))
    return {
        "p50_ms": round(statistics.median(wall), 2),
        "p95_ms": round(statistics.quantiles(wall, n=20)[18], 2),
        "p50_cpu_ms": round(statistics.median(cpu), 2),
        "p95_cpu_ms": round(statistics.quantiles(cpu, n=20)[18], 2),
    }


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
        root = Path(scratch) / "archive"
        result: dict[str, object] = {}
        spent, exact_cpu, done = 0.0, 0.0, 0
        with Archive.open(root) as archive:
            for size in sizes:
                spent += grow(archive, done, size // TURNS)
                done = size // TURNS
                start = time.process_time()
                archive.update_index()  # exact text: words were fed along
                exact_cpu += time.process_time() - start
                measured(archive, done)  # warm
                index, exact = (
                    sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
                    for folder in (root / "search", root / "search" / "exact")
                )
                result[str(size)] = {
                    "search": measured(archive, done),
                    "build_cpu_seconds": round(spent, 1),
                    "archive_bytes": archive.counts().stored_bytes,
                    "exact_cpu_seconds": round(exact_cpu, 1),
                    "index_bytes": index,
                    "exact_bytes": exact,
                    "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                }
        print(json.dumps({"turns": result, "load": round(os.getloadavg()[0], 1)}))


if __name__ == "__main__":
    main()
