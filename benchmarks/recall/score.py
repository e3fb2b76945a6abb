"""Scoring: rankings of exchanges against questions whose answers are known.

R@k is the mean share of the gold exchanges among the first k. A question without gold is to be met
with silence. An exchange is named by its conversation and the turn of its prompt.
"""

import statistics
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recall.corpus import Corpus, Question, Session

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
from dejavu.recall.history.confidence import SURE
from dejavu.recall.history.documents import begins_exchange
from dejavu.recall.terms import content_stems

ExchangeRef = tuple[str, int]
Ranker = Callable[[Question], list[ExchangeRef]]
NO_MODEL = ("lexical", "entity", "trigram", "files", "graph")
_DEPTH = 40  # turns asked of a peer for ten exchanges


class Set:
    """A corpus in an archive: its turns and exchanges as documents, and gold texts as places."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.turns: list[ExchangeRef] = []
        self.turn_texts: list[str] = []
        self.exchanges: list[ExchangeRef] = []
        self.exchange_texts: list[str] = []
        self.turns_in: dict[str, set[int]] = defaultdict(set)
        self.exchanges_in: dict[str, set[int]] = defaultdict(set)
        self.prompts: dict[str, list[int]] = {}
        self.by_text: dict[tuple[str, str], list[ExchangeRef]] = defaultdict(list)
        for summary in archive.scan(newest_first=False):
            prompts = self.prompts.setdefault(summary.id, [])
            for turn in archive.turns(summary.id):
                if begins_exchange(turn) or not prompts:
                    prompts.append(turn.seq)
                    self.exchanges_in[summary.workspace].add(len(self.exchanges))
                    self.exchanges.append((summary.id, turn.seq))
                    self.exchange_texts.append("")
                told = list(events(turn))
                text = "\n".join(event.search for event in told)
                self.exchange_texts[-1] += text + "\n"
                self.turns_in[summary.workspace].add(len(self.turns))
                self.turns.append((summary.id, turn.seq))
                self.turn_texts.append(text)
                for event in told:
                    self.by_text[summary.workspace, event.text].append((summary.id, prompts[-1]))

    def exchange_of(self, conversation: str, seq: int) -> ExchangeRef:
        """The exchange that a turn belongs to."""
        prompts = self.prompts[conversation]
        return conversation, prompts[max(0, bisect_right(prompts, seq) - 1)]

    def gold(self, workspace: str, texts: Sequence[str]) -> set[ExchangeRef]:
        """Where the texts stand."""
        return {place for text in texts for place in self.by_text[workspace, text]}


def development(folder: Path, seed: int) -> tuple[Archive, list[Question]]:
    """The sessions of corpus.py: two thirds read by our providers from agents' files."""
    corpus = Corpus(seed)
    corpus.write(folder)
    archive = Archive.open(folder / "archive")
    sync_homes(archive, [Home(folder, {}, "local", None)])
    put(archive, (session for session in corpus.sessions if session.agent == "bare"))
    return archive, corpus.questions


def put(archive: Archive, sessions: Iterable[Session]) -> None:
    """Put sessions into an archive as records."""
    for session in sessions:
        archive.put(bare(session))


def bare(session: Session) -> Conversation:
    """A session as a record."""
    turns = []
    for number, (role, text, call) in enumerate(session.said):
        part: Any = Text(text)
        if call is not None:
            part = ToolCall(f"c{number}", "read", call)
        elif role == "tool":
            part = ToolCallResponse(f"c{number - 1}", text)
        turns.append(Turn(role=Role(role), parts=(part,), at=session.at + 20 * number))
    return Conversation(
        id=conversation_id(session.agent, "local", session.name), agent=session.agent,
        native_id=session.name, workspace=session.workspace,
    ).with_turns(tuple(turns))  # fmt: skip


def leaning(question: Question) -> str:
    """What a ranking without a memory of the talk is asked: prompt and, where it is bare, talk."""
    if len(content_stems(question.prompt)) >= 3:
        return question.prompt
    return "\n".join((*question.before, question.prompt))


def ours(corpus: Set, tiers: Sequence[str] | None, floor: float = SURE) -> Ranker:
    """Our ranking, with the retrievers named; at floor 0 nothing found is withheld."""
    recall = Recall(corpus.archive, tiers=tiers)

    def rank(question: Question) -> list[ExchangeRef]:
        hits = recall.search(
            question.prompt, 10, question.workspace or None, before=question.before, floor=floor,
            catch_up=False,
        )  # fmt: skip
        return list(dict.fromkeys(corpus.exchange_of(h.conversation, h.seq) for h in hits))

    return rank


def over_turns(which: Any, corpus: Set) -> Ranker:
    """A peer's ranking of turns, as that of the exchanges they are of."""

    def rank(question: Question) -> list[ExchangeRef]:
        found = which.rank(leaning(question), corpus.turns_in[question.workspace])[:_DEPTH]
        named = (corpus.exchange_of(*corpus.turns[number]) for number in found)
        return list(dict.fromkeys(named))[:10]

    return rank


def over_exchanges(which: Any, corpus: Set) -> Ranker:
    """A peer's ranking of exchanges."""

    def rank(question: Question) -> list[ExchangeRef]:
        found = which.rank(leaning(question), corpus.exchanges_in[question.workspace])
        return [corpus.exchanges[number] for number in found[:10]]

    return rank


def scored(rank: Ranker, corpus: Set, questions: Sequence[Question]) -> dict[str, Any]:
    """A row of figures: recall, rank, silence and cost."""
    sums: dict[str, list[float]] = defaultdict(list)
    kinds: dict[str, list[float]] = defaultdict(list)
    stale_first = stale_asked = silent = rightly = 0
    took: list[float] = []
    for question in questions:
        start = time.process_time()
        found = rank(question)
        took.append((time.process_time() - start) * 1e3)
        silent += not found
        if not question.gold:
            rightly += not found
            continue
        gold = corpus.gold(question.workspace, question.gold)
        ranks = [place + 1 for place, one in enumerate(found) if one in gold]
        for k in (1, 5, 10):
            sums[f"R@{k}"].append(sum(r <= k for r in ranks) / min(k, len(gold)))
        sums["MRR"].append(1 / ranks[0] if ranks else 0.0)
        kinds[question.kind].append(sums["R@10"][-1])
        if question.stale:
            stale = corpus.gold(question.workspace, question.stale)
            stale_asked += 1
            stale_first += bool(found) and found[0] in stale - gold
    took.sort()
    unanswerable = sum(not question.gold for question in questions)
    answerable = len(questions) - unanswerable
    return {
        **{name: round(100 * statistics.mean(values), 1) for name, values in sums.items()},
        "R@10 by kind": {k: round(100 * statistics.mean(v), 1) for k, v in sorted(kinds.items())},
        "superseded first": f"{stale_first} of {stale_asked}",
        "silent where nothing answers": f"{rightly} of {unanswerable}",
        "silent though answerable": f"{silent - rightly} of {answerable}",
        "CPU ms p50": round(took[len(took) // 2], 2),
        "CPU ms p95": round(took[int(len(took) * 0.95)], 2),
    }


def block_before(archive: Archive, question: Question, recall: Recall) -> str:
    """What is put before a question; empty for nothing."""
    return inject(
        archive, question.prompt, workspace=question.workspace, before=question.before,
        recall=recall,
    )  # fmt: skip


def injected(
    archive: Archive, questions: Sequence[Question], tiers: Sequence[str] | None
) -> dict[str, Any]:
    """How often a question is given its answer's text, and one without an answer anything."""
    recall = Recall(archive, tiers=tiers)
    right: list[float] = []
    wrong: dict[str, list[float]] = defaultdict(list)
    for question in questions:
        text = block_before(archive, question, recall)
        if question.gold:
            shown = " ".join(text.replace("\n> ", " ").split())
            right.append(any(" ".join(g.split())[:60] in shown for g in question.gold))
        else:
            wrong[question.kind].append(bool(text))
    return {
        "answer's text in the block %": round(100 * statistics.mean(right), 1) if right else None,
        "given something though nothing answers": {
            kind: f"{sum(values):.0f} of {len(values)}" for kind, values in wrong.items()
        },
    }
