"""Cost at a size: indexing, searching, injecting, remembering, in milliseconds.

A row for each number of turns. CPU is this process's own, wall is what a caller waits.
"""

import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recall.corpus import Corpus, Question
from benchmarks.recall.score import bare

from dejavu.archive import Archive, Batch, TurnUpdate
from dejavu.recall import Memory, Recall, events, inject


def run_size(arguments: Namespace) -> dict[str, Any]:
    """What a search, a hook's work and a memory cost at a size in milliseconds."""
    rows = []
    for size in arguments.size:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            rows.append(_size(Path(name), size, arguments.seed))
    return {"rows": rows}


def _size(folder: Path, size: int, seed: int) -> dict[str, Any]:
    turns = text = 0
    asked: list[Question] = []
    with Archive.open(folder / "archive") as archive:
        copy = 0
        while turns < size:
            corpus = Corpus(seed + copy)
            told = [bare(session) for session in corpus.sessions]
            archive.commit(Batch(updates=[TurnUpdate(one, 0, one.turns, one.id) for one in told]))
            turns += sum(one.turn_count for one in told)
            text += sum(len(e.text) for one in told for turn in one.turns for e in events(turn))
            asked = asked or corpus.questions[:200]
            copy += 1
        start = time.process_time()
        archive.update_index()
        peer = time.process_time() - start
        recall = Recall(archive)
        start = time.process_time()
        recall.catch_up()
        built = time.process_time() - start
        index = sum(p.stat().st_size for p in (folder / "archive" / "recall").iterdir())
        searched = _timed(
            lambda q: recall.search(q.prompt, 10, q.workspace, before=q.before, catch_up=False),
            asked,
        )
        injected = _timed(lambda q: inject(archive, q.prompt, workspace=q.workspace), asked)
        memory = Memory(archive)
        remembered = _timed(lambda q: memory.remember(f"{q.prompt} {id(q)} {q.workspace}"), asked)
        recalled = _timed(lambda q: memory.recall(q.prompt), asked)
    return {
        "turns": turns, "text MB": round(text / 1e6, 1), "index MB": round(index / 1e6, 1),
        "index turns per CPU second": round(turns / built),
        "index CPU, beside the archive's own search index": round(built / peer, 1),
        "search ms": searched,
        "inject ms": injected, "remember ms": remembered, "recall memory ms": recalled,
    }  # fmt: skip


def _timed(work: Callable[[Question], object], asked: Sequence[Question]) -> dict[str, float]:
    wall, cpu = [], []
    for question in asked:
        started, start = time.perf_counter(), time.process_time()
        work(question)
        cpu.append((time.process_time() - start) * 1e3)
        wall.append((time.perf_counter() - started) * 1e3)
    return {
        f"{name} {label}": round(sorted(took)[int(len(took) * share)], 2)
        for name, took in (("wall", wall), ("CPU", cpu))
        for label, share in (("p50", 0.5), ("p95", 0.95))
    }


def run_vectors(count: int, folder: Path | None) -> dict[str, Any]:
    """What a question costs among so many random unit vectors, and how much stays resident.

    A question is a stored vector with noise added; it must come back first.
    """
    import numpy as np

    from dejavu.recall.history.documents import Document
    from dejavu.recall.history.vector_store import VectorStore

    rng = np.random.default_rng(7)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        store = VectorStore(Path(name))
        state = store.begin("random", 384)
        asked: list[Any] = []
        for number in range(0, count, 20_000):
            some = rng.standard_normal((min(20_000, count - number), 384), dtype=np.float32)
            some /= np.linalg.norm(some, axis=1, keepdims=True)
            if len(asked) < 40:
                asked += [row + 0.03 * rng.standard_normal(384) for row in some[:4]]
            documents = [Document(1 + number, n, n, n, n, 0.0, 0.0) for n in range(len(some))]
            state = store.replace(state, 1 + number, 0, documents, some, "/w")
            del some, documents
        before = memory()
        cpu, wall, found = [], [], []
        for question in asked:
            vector = (question / np.linalg.norm(question)).astype(np.float32)
            started, start = time.perf_counter(), time.process_time()
            near = store.nearest(state, vector, 10)
            cpu.append((time.process_time() - start) * 1e3)
            wall.append((time.perf_counter() - started) * 1e3)
            found.append(near[0].score > 0.8)
    return {
        "vectors": count, "CPU ms p50": round(sorted(cpu)[len(cpu) // 2], 1),
        "CPU ms p95": round(sorted(cpu)[int(len(cpu) * 0.95)], 1),
        "wall ms p50": round(sorted(wall)[len(wall) // 2], 1),
        "first is the vector meant %": round(100 * sum(found) / len(found), 1),
        "memory MB before": before, "memory MB after": memory(),
    }  # fmt: skip


def memory(pid: int | str = "self") -> dict[str, int]:
    """The megabytes (2^20) of a process: resident, its share of them (PSS), its own (no file's).

    Empty where the system does not tell.
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:
        return {}
    sizes = {line.split(":")[0]: int(line.split()[1]) >> 10 for line in lines}
    return {"resident": sizes["Rss"], "share": sizes["Pss"], "own": sizes["Anonymous"]}
