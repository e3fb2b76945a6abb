"""How well history comes back: our ranking beside BM25 and the two systems it replaces.

    python benchmarks/recall.py                       our own coding sessions, the held-out half
    python benchmarks/recall.py --tune                the other half, for choosing weights
    python benchmarks/recall.py --locomo FILE         LoCoMo's locomo10.json, supplied by you
    python benchmarks/recall.py --longmemeval FILE    LongMemEval's json, supplied by you
    python benchmarks/recall.py --size 100000         cost at a size, in milliseconds

Prints JSON. R@k is the mean share of the gold turns among the first k; a question without gold is
to be met with silence. The halves share their templates, so they are alike; they do not share
questions. Rows that need MiniLM appear where the packages of the `semantic` extra are installed.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from recall_corpus import Corpus, Question
from recall_peers import BM25, Cosine, TrigramEntity

from dejavu.archive import Archive
from dejavu.providers import Home
from dejavu.recall import Memory, Recall, events, inject
from dejavu.recall.terms import content
from dejavu.recall.vectors import encoder
from dejavu.record import (
    Conversation,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    conversation_id,
)
from dejavu.surfaces.sync import sync_homes

Place = tuple[str, int]
Ranker = Callable[[Question], list[Place]]


class Set:
    """A corpus in an archive: its turns as documents, and gold texts as places."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.places: list[Place] = []
        self.documents: list[str] = []
        self.by_workspace: dict[str, set[int]] = defaultdict(set)
        self.by_text: dict[tuple[str, str], list[Place]] = defaultdict(list)
        for head in archive.scan(newest_first=False):
            for turn in archive.turns(head.id):
                told = list(events(turn))
                if not told:
                    continue
                self.by_workspace[head.workspace].add(len(self.places))
                self.places.append((head.id, turn.seq))
                self.documents.append("\n".join(event.search for event in told))
                for event in told:
                    self.by_text[head.workspace, event.text].append((head.id, turn.seq))

    def gold(self, workspace: str, texts: Sequence[str]) -> set[Place]:
        """Where the texts stand."""
        return {place for text in texts for place in self.by_text[workspace, text]}


def own_corpus(folder: Path, seed: int) -> tuple[Set, Archive, list[Question]]:
    corpus = Corpus(seed)
    corpus.write(folder)
    archive = Archive.open(folder / "archive")
    sync_homes(archive, [Home(folder, {}, "local", None)])
    for session in corpus.sessions:
        if session.agent == "bare":
            archive.put(_bare(session))
    return Set(archive), archive, corpus.questions


def _bare(session: Any) -> Conversation:
    turns = []
    for number, (role, text, call) in enumerate(session.said):
        part: Any = Text(text)
        if call is not None:
            part = ToolCall(f"c{number}", "read", call)
        elif role == "tool":
            part = ToolCallResponse(f"c{number - 1}", text)
        turns.append(Turn(role=Role(role), parts=(part,), at=session.at + 20 * number))
    return Conversation(
        id=conversation_id("bare", "local", session.name), agent="bare",
        native_id=session.name, workspace=session.workspace,
    ).with_turns(tuple(turns))  # fmt: skip


def leaning(question: Question) -> str:
    """What a ranking without a memory of the talk is asked: prompt and, where it is bare, talk."""
    if len(content(question.prompt)) >= 3:
        return question.prompt
    return "\n".join((*question.before, question.prompt))


def ours(archive: Archive, tiers: Sequence[str] | None) -> Ranker:
    recall = Recall(archive, tiers=tiers)

    def rank(question: Question) -> list[Place]:
        hits = recall.search(
            question.prompt, 10, question.workspace or None, before=question.before, catch_up=False
        )
        return [(hit.conversation, hit.seq) for hit in hits]

    return rank


def peer(which: Any, corpus: Set) -> Ranker:
    def rank(question: Question) -> list[Place]:
        allowed = corpus.by_workspace[question.workspace]
        return [corpus.places[n] for n in which.rank(leaning(question), allowed)[:10]]

    return rank


def scored(rank: Ranker, corpus: Set, questions: Sequence[Question]) -> dict[str, Any]:
    sums: dict[str, list[float]] = defaultdict(list)
    kinds: dict[str, list[float]] = defaultdict(list)
    outranked = silent = rightly = 0
    took: list[float] = []
    for question in questions:
        start = time.process_time()
        found = rank(question)
        took.append((time.process_time() - start) * 1e3)
        gold = corpus.gold(question.workspace, question.gold)
        if not found:
            silent += 1
            rightly += not question.gold
        if not question.gold:
            kinds["abstention (silent)"].append(float(not found))
            continue
        ranks = [place + 1 for place, one in enumerate(found) if one in gold]
        at5, at10 = (sum(r <= k for r in ranks) / len(gold) for k in (5, 10))
        best = sum(1 / math.log2(1 + r) for r in range(1, min(10, len(gold)) + 1))
        sums["R@5"].append(at5)
        sums["R@10"].append(at10)
        sums["MRR"].append(1 / ranks[0] if ranks else 0.0)
        sums["nDCG@10"].append(sum(1 / math.log2(1 + r) for r in ranks) / best)
        kinds[question.kind].append(at10)
        stale = corpus.gold(question.workspace, question.stale)
        if stale:
            old = [place for place, one in enumerate(found) if one in stale]
            outranked += bool(old) and (not ranks or old[0] < ranks[0] - 1)
    took.sort()
    return {
        **{name: round(100 * statistics.mean(values), 1) for name, values in sums.items()},
        "R@10 by kind": {
            kind: round(100 * statistics.mean(v), 1) for kind, v in sorted(kinds.items())
        },
        "abstention precision": round(100 * rightly / silent, 1) if silent else None,
        "superseded outranks successor": outranked,
        "CPU ms p50": round(took[len(took) // 2], 2),
        "CPU ms p95": round(took[int(len(took) * 0.95)], 2),
    }


def false_injections(archive: Archive, questions: Sequence[Question]) -> dict[str, Any]:
    """How often an unrelated prompt is given anything, and a question its answer."""
    unrelated = [q for q in questions if not q.gold]
    related = [q for q in questions if q.gold]
    wrong = sum(bool(inject(archive, q.prompt, workspace=q.workspace)) for q in unrelated)
    given = right = 0
    for q in related:
        text = inject(archive, q.prompt, workspace=q.workspace, before=q.before)
        given += bool(text)
        right += any(" ".join(g.split())[:60] in " ".join(text.split()) for g in q.gold)
    return {
        "unrelated prompts": len(unrelated),
        "false injection %": round(100 * wrong / max(1, len(unrelated)), 1),
        "questions given anything %": round(100 * given / max(1, len(related)), 1),
        "questions given a gold turn %": round(100 * right / max(1, len(related)), 1),
    }


NO_MODEL = ("lexical", "entity", "trigram", "files", "graph")


def run_own(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        corpus, archive, every = own_corpus(Path(name), arguments.seed)
        with archive:
            questions = [q for q in every if q.held is not arguments.tune]
            missing = [q for q in every if q.gold and not corpus.gold(q.workspace, q.gold)]
            Recall(archive).catch_up()
            rows = {
                "BM25": scored(peer(BM25(corpus.documents), corpus), corpus, questions),
                "memory-pkg (seed)": scored(
                    peer(TrigramEntity(corpus.documents), corpus), corpus, questions
                ),
                "ours, no model": scored(ours(archive, NO_MODEL), corpus, questions),
            }
            injection = false_injections(archive, questions)
            model = encoder()
            if model is not None and not arguments.no_model:
                rows["deja-local (seed)"] = scored(
                    peer(Cosine(corpus.documents, model), corpus), corpus, questions
                )
                while Recall(archive).embed_pending():
                    pass
                rows["ours, MiniLM"] = scored(ours(archive, None), corpus, questions)
            return {
                "half": "tune" if arguments.tune else "held out",
                "sessions": len({place[0] for place in corpus.places}),
                "turns": len(corpus.places),
                "questions": len(questions),
                "questions in all": len(every),
                "gold not found in archive": len(missing),
                "rows": rows,
                "injection": injection,
            }


def run_talk(
    conversations: list[
        tuple[str, list[tuple[str, list[tuple[str, str]]]], list[tuple[str, set[str]]]]
    ],
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    """Talk with evidence: each (name, sessions of (id, [(turn id, text)]), questions) by itself."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    model = None if arguments.no_model else encoder()
    for number, (name, sessions, questions) in enumerate(conversations):
        with tempfile.TemporaryDirectory() as folder, Archive.open(Path(folder) / "a") as archive:
            named: dict[Place, str] = {}
            home: dict[str, str] = {}
            for order, (session, said) in enumerate(sessions):
                identity = conversation_id("talk", "local", f"{name}-{session}")
                turns = tuple(
                    Turn(role=Role.USER, parts=(Text(text),), at=1e9 + order * 1e5 + n)
                    for n, (_, text) in enumerate(said)
                )
                head = Conversation(id=identity, agent="talk", native_id=session, workspace="/talk")
                archive.put(head.with_turns(turns))
                named.update({(identity, n): turn for n, (turn, _) in enumerate(said)})
                home.update({turn: session for turn, _ in said})
            corpus = Set(archive)
            Recall(archive).catch_up()
            rankers = {
                "BM25": peer(BM25(corpus.documents), corpus),
                "ours, no model": _open(archive, NO_MODEL),
            }
            if model is not None:
                while Recall(archive).embed_pending():
                    pass
                rankers["ours, MiniLM"] = _open(archive, None)
            for prompt, evidence in questions:
                asked = Question("talk", prompt, "/talk")
                for row, rank in rankers.items():
                    found = [named[place] for place in rank(asked)]
                    rows[row].append(_evidence(found, evidence, home, odd=bool(number % 2)))
    return {
        row: {
            key: round(100 * statistics.mean(one[key] for one in values if key in one), 1)
            for key in sorted({key for one in values for key in one})
        }
        for row, values in rows.items()
    }


def _open(archive: Archive, tiers: Sequence[str] | None) -> Ranker:
    recall = Recall(archive, tiers=tiers)
    return lambda q: [
        (hit.conversation, hit.seq)
        for hit in recall.search(q.prompt, 10, floor=0.0, catch_up=False)
    ]


def _evidence(
    found: list[str], gold: set[str], home: dict[str, str], *, odd: bool
) -> dict[str, float]:
    ranks = [n + 1 for n, turn in enumerate(found) if turn in gold]
    sessions = list(dict.fromkeys(home[turn] for turn in found))
    wanted = {home[turn] for turn in gold if turn in home}
    at10 = len(ranks) / len(gold)
    return {
        "R@5": sum(r <= 5 for r in ranks) / len(gold),
        "R@10": at10,
        "MRR": 1 / ranks[0] if ranks else 0.0,
        "session R@10": len(wanted & set(sessions)) / max(1, len(wanted)),
        ("R@10 odd half" if odd else "R@10 even half"): at10,
    }


def locomo(file: Path) -> list[Any]:
    """LoCoMo's conversations (CC BY-NC 4.0: never part of this project)."""
    told = []
    for number, one in enumerate(json.loads(file.read_text("utf-8"))):
        talk = one["conversation"]
        sessions = []
        keys = [k for k in talk if k.startswith("session_") and isinstance(talk[k], list)]
        for key in sorted(keys, key=lambda k: int(k.split("_")[1])):
            said = [
                (t["dia_id"], f"{t['speaker']}: {t['text']}"
                 + (f" [shared image: {t['blip_caption']}]" if t.get("blip_caption") else ""))
                for t in talk[key]
            ]  # fmt: skip
            sessions.append((key, said))
        known = {turn for _, said in sessions for turn, _ in said}
        questions = [
            (qa["question"], evidence)
            for qa in one["qa"]
            if (
                evidence := {
                    e for raw in qa.get("evidence", []) for e in raw.replace(";", " ").split()
                }
                & known
            )
        ]
        told.append((str(number), sessions, questions))
    return told


def longmemeval(file: Path) -> list[Any]:
    """LongMemEval: each question with its own haystack; evidence is the turns with `has_answer`."""
    told = []
    for number, one in enumerate(json.loads(file.read_text("utf-8"))):
        sessions, gold = [], set()
        for name, talk in zip(one["haystack_session_ids"], one["haystack_sessions"], strict=True):
            said = []
            for n, turn in enumerate(talk):
                identity = f"{name}:{n}"
                said.append((identity, f"{turn['role']}: {turn['content']}"))
                if turn.get("has_answer"):
                    gold.add(identity)
            sessions.append((f"{name}-{len(sessions)}", said))
        if gold:
            told.append((str(number), sessions, [(one["question"], gold)]))
    return told


def run_size(arguments: argparse.Namespace) -> dict[str, Any]:
    """What a search, a hook's work and a memory cost at a size in milliseconds."""
    rows = []
    for size in arguments.size:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            rows.append(_size(Path(name), size, arguments.seed))
    return {"rows": rows}


def _size(folder: Path, size: int, seed: int) -> dict[str, Any]:
    turns = 0
    asked: list[Question] = []
    with Archive.open(folder / "archive") as archive:
        copy = 0
        while turns < size:
            corpus = Corpus(seed + copy)
            for session in corpus.sessions:
                one = _bare(session)
                archive.put(one)
                turns += one.turn_count
            asked = asked or corpus.questions[:200]
            copy += 1
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
        "turns": turns, "index MB": round(index / 1e6, 1),
        "index turns per CPU second": round(turns / built), "search ms": searched,
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--no-model", action="store_true")
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--longmemeval", type=Path)
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--folder", type=Path, help="where scratch archives are made")
    arguments = parser.parse_args()
    if arguments.locomo:
        result = run_talk(locomo(arguments.locomo), arguments)
    elif arguments.longmemeval:
        result = run_talk(longmemeval(arguments.longmemeval), arguments)
    elif arguments.size:
        result = run_size(arguments)
    else:
        result = run_own(arguments)
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
