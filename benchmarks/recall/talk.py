"""Talk with evidence: LoCoMo and LongMemEval, in files that you supply.

Scores of evidence turns and sessions, each conversation searched by itself. Every line of talk is a
prompt of its own, since nobody answers as an agent does: an exchange is one turn.
LoCoMo is CC BY-NC 4.0 and no part of this project; neither is LongMemEval.
"""

import json
import statistics
import tempfile
from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.recall.corpus import Question
from benchmarks.recall.peers import BM25, Cosine
from benchmarks.recall.score import NO_MODEL, ExchangeRef, Ranker, Set, over_exchanges

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn, conversation_id
from dejavu.recall import Recall
from dejavu.recall.history.minilm import encoder


def run_talk(
    conversations: list[
        tuple[str, list[tuple[str, list[tuple[str, str]]]], list[tuple[str, set[str]]]]
    ],
    arguments: Namespace,
) -> dict[str, Any]:
    """Talk with evidence: each (name, sessions of (id, [(turn id, text)]), questions) by itself."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    model = None if arguments.no_model else encoder()
    for number, (name, sessions, questions) in enumerate(conversations):
        with tempfile.TemporaryDirectory() as folder, Archive.open(Path(folder) / "a") as archive:
            named: dict[ExchangeRef, str] = {}
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
                "BM25 over turns": over_exchanges(BM25(corpus.exchange_texts), corpus),
                "ours, words": _open(archive, NO_MODEL),
            }
            if model is not None:
                rankers["embeddings alone"] = over_exchanges(
                    Cosine(corpus.exchange_texts, model), corpus
                )
                while Recall(archive).embed_pending():
                    pass
                rankers["ours, semantic"] = _open(archive, None)
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
        "session hit@1": float(bool(wanted & set(sessions[:1]))),
        "session hit@5": float(bool(wanted & set(sessions[:5]))),
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
