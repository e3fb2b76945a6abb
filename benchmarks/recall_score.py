"""Scoring: rankings against questions whose answers are known.

Takes an archive with a corpus in it; gives R@k, MRR, nDCG, what silence was worth, and what would
have been put before prompts. R@k is the mean share of the gold turns among the first k.
"""

import math
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from recall_corpus import Corpus, Query

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.model import (
    Conversation,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    conversation_id,
)
from dejavu.providers import Home
from dejavu.recall import Recall, events, inject
from dejavu.recall.terms import content

TurnRef = tuple[str, int]
Ranker = Callable[[Query], list[TurnRef]]
NO_MODEL = ("lexical", "entity", "trigram", "files", "graph")


class Set:
    """A corpus in an archive: its turns as documents, and gold texts as places."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.places: list[TurnRef] = []
        self.documents: list[str] = []
        self.by_workspace: dict[str, set[int]] = defaultdict(set)
        self.by_text: dict[tuple[str, str], list[TurnRef]] = defaultdict(list)
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

    def gold(self, workspace: str, texts: Sequence[str]) -> set[TurnRef]:
        """Where the texts stand."""
        return {place for text in texts for place in self.by_text[workspace, text]}


def own_corpus(folder: Path, seed: int) -> tuple[Set, Archive, list[Query]]:
    corpus = Corpus(seed)
    corpus.write(folder)
    archive = Archive.open(folder / "archive")
    sync_homes(archive, [Home(folder, {}, "local", None)])
    for session in corpus.sessions:
        if session.agent == "bare":
            archive.put(bare(session))
    return Set(archive), archive, corpus.questions


def bare(session: Any) -> Conversation:
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


def leaning(question: Query) -> str:
    """What a ranking without a memory of the talk is asked: prompt and, where it is bare, talk."""
    if len(content(question.prompt)) >= 3:
        return question.prompt
    return "\n".join((*question.before, question.prompt))


def ours(archive: Archive, tiers: Sequence[str] | None) -> Ranker:
    recall = Recall(archive, tiers=tiers)

    def rank(question: Query) -> list[TurnRef]:
        hits = recall.search(
            question.prompt, 10, question.workspace or None, before=question.before, catch_up=False
        )
        return [(hit.conversation, hit.seq) for hit in hits]

    return rank


def peer(which: Any, corpus: Set) -> Ranker:
    def rank(question: Query) -> list[TurnRef]:
        allowed = corpus.by_workspace[question.workspace]
        return [corpus.places[n] for n in which.rank(leaning(question), allowed)[:10]]

    return rank


def scored(rank: Ranker, corpus: Set, questions: Sequence[Query]) -> dict[str, Any]:
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
            kinds[f"{question.kind} (silent)"].append(float(not found))
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
    answerable = sum(bool(question.gold) for question in questions)
    return {
        **{name: round(100 * statistics.mean(values), 1) for name, values in sums.items()},
        "R@10 by kind": {
            kind: round(100 * statistics.mean(v), 1) for kind, v in sorted(kinds.items())
        },
        "abstention precision": round(100 * rightly / silent, 1) if silent else None,
        "abstention recall": round(100 * rightly / max(1, len(questions) - answerable), 1),
        "silent though answerable %": round(100 * (silent - rightly) / max(1, answerable), 1),
        "superseded outranks successor": outranked,
        "CPU ms p50": round(took[len(took) // 2], 2),
        "CPU ms p95": round(took[int(len(took) * 0.95)], 2),
    }


def false_injections(
    archive: Archive, questions: Sequence[Query], every: Sequence[Query]
) -> dict[str, Any]:
    """How often an unrelated prompt is given anything, and a question its answer.

    The unrelated prompts are all there are, of both halves: half of them would be few.
    """
    wrong: dict[str, list[float]] = defaultdict(list)
    for q in every:
        if not q.gold:
            given = bool(inject(archive, q.prompt, workspace=q.workspace))
            wrong[q.kind.removeprefix("abstention, ")].append(float(given))
            wrong["all"].append(float(given))
    related = [q for q in questions if q.gold]
    given = right = 0
    for q in related:
        text = inject(archive, q.prompt, workspace=q.workspace, before=q.before)
        given += bool(text)
        right += any(" ".join(g.split())[:60] in " ".join(text.split()) for g in q.gold)
    return {
        "unrelated prompts": {kind: len(values) for kind, values in wrong.items()},
        "false injection %": {
            kind: round(100 * statistics.mean(values), 1) for kind, values in wrong.items()
        },
        "questions given anything %": round(100 * given / max(1, len(related)), 1),
        "questions given a gold turn %": round(100 * right / max(1, len(related)), 1),
    }
