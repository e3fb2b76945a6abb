"""How well history comes back: our ranking beside BM25, embeddings alone and a system it replaces.

    python -m benchmarks.recall.ranking                       the held-out set: hand-written, never tuned on
    python -m benchmarks.recall.ranking --noise 150           the same among so many sessions of noise
    python -m benchmarks.recall.ranking --reworded            the same questions in other words
    python -m benchmarks.recall.ranking --set work            the second held-out set; all sets: sets.py
    python -m benchmarks.recall.ranking --routine 200         the same among so many sessions of routine work
    python -m benchmarks.recall.ranking --removed             what is given where the answers were taken out
    python -m benchmarks.recall.ranking --tune                a development set of templates, to choose weights
    python -m benchmarks.recall.ranking --locomo FILE         LoCoMo's locomo10.json, supplied by you
    python -m benchmarks.recall.ranking --longmemeval FILE    LongMemEval's json, supplied by you
    python -m benchmarks.recall.ranking --size 100000         cost at a size, in milliseconds
    python -m benchmarks.recall.ranking --vectors 1000000     cost of so many vectors
    python -m benchmarks.recall.ranking --hook                what a prompt waits for, warm and cold

Prints JSON. R@k is the mean share of the gold exchanges among the first k; a question without gold
is to be met with silence. Rows that need a model appear where the `semantic` extra is installed.
Nothing is downloaded.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.recall.hook import run_hook
from benchmarks.recall.peers import BM25, Cosine, Hybrid, TrigramEntity
from benchmarks.recall.score import (
    NO_MODEL,
    Set,
    block_before,
    development,
    injected,
    ours,
    over_exchanges,
    over_turns,
    put,
    scored,
)
from benchmarks.recall.sets import HELD_OUT, SETS, HandWritten
from benchmarks.recall.size import run_size, run_vectors
from benchmarks.recall.talk import locomo, longmemeval, run_talk

from dejavu.archive import Archive
from dejavu.recall import Recall
from dejavu.recall.history.minilm import encoder


def run_own(arguments: argparse.Namespace) -> dict[str, Any]:
    """Every ranking on one of our two sets."""
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        if arguments.tune:
            archive, questions = development(Path(name), arguments.seed)
        else:
            archive = Archive.open(Path(name) / "archive")
            chosen, held = HandWritten(SETS[arguments.set]), arguments.set in HELD_OUT
            put(archive, chosen.sessions())
            put(archive, chosen.routine(arguments.routine, held_out=held))
            put(archive, chosen.noise(arguments.noise) if arguments.noise else ())
            questions = chosen.questions(reworded=arguments.reworded)
        with archive:
            return {
                "set": "templates" if arguments.tune else arguments.set,
                **_rows(Set(archive), questions, arguments),
            }


def run_removed(arguments: argparse.Namespace) -> dict[str, Any]:
    """What is put before the questions of a set where their answers were taken out.

    Nothing answers then, but all that is near is still there. Half of the answers go at a time.
    """
    chosen, held = HandWritten(SETS[arguments.set]), arguments.set in HELD_OUT
    answered = [q for q in chosen.questions(reworded=arguments.reworded) if q.gold]
    tiers: dict[str, tuple[str, ...] | None] = {"words": NO_MODEL}
    if not arguments.no_model and encoder() is not None:
        tiers["semantic"] = None
    given = dict.fromkeys(tiers, 0)
    for half in (answered[::2], answered[1::2]):
        with (
            tempfile.TemporaryDirectory(dir=arguments.folder) as name,
            Archive.open(Path(name) / "archive") as archive,
        ):
            put(archive, chosen.without({t for q in half for t in (*q.gold, *q.stale)}))
            put(archive, chosen.routine(arguments.routine, held_out=held))
            Recall(archive).catch_up()
            while "semantic" in tiers and Recall(archive).embed_pending():
                pass
            for row, names in tiers.items():
                recall = Recall(archive, tiers=names)
                given[row] += sum(bool(block_before(archive, q, recall)) for q in half)
    total = len(answered)
    return {
        "set": arguments.set,
        "given something though the answer was taken out": {
            row: f"{count} of {total}" for row, count in given.items()
        },
    }


def _rows(corpus: Set, questions: list[Any], arguments: argparse.Namespace) -> dict[str, Any]:
    archive = corpus.archive
    missing = [q for q in questions if q.gold and not corpus.gold(q.workspace, q.gold)]
    Recall(archive).catch_up()
    rankers = {"ours, words": ours(corpus, NO_MODEL)}
    if not arguments.only_ours:
        rankers = {
            "BM25 over turns": over_turns(BM25(corpus.turn_texts), corpus),
            "BM25 over exchanges": over_exchanges(BM25(corpus.exchange_texts), corpus),
            "memory-pkg (seed)": over_turns(TrigramEntity(corpus.turn_texts), corpus),
            **rankers,
            "ours, words, nothing withheld": ours(corpus, NO_MODEL, 0.0),
        }
    model = None if arguments.no_model else encoder()
    if model is not None:
        while Recall(archive).embed_pending():
            pass
        if not arguments.only_ours:
            vectors = Cosine(corpus.exchange_texts, model)
            rankers["embeddings alone, exchanges"] = over_exchanges(vectors, corpus)
            rankers[".3 BM25 and .7 embeddings, exchanges"] = over_exchanges(
                Hybrid(BM25(corpus.exchange_texts), vectors), corpus
            )
            rankers["ours, semantic, nothing withheld"] = ours(corpus, None, 0.0)
        rankers["ours, semantic"] = ours(corpus, None)
    return {
        "sessions": len(corpus.prompts),
        "exchanges": len(corpus.exchanges),
        "questions": len(questions),
        "gold not found in archive": len(missing),
        "rows": {name: scored(rank, corpus, questions) for name, rank in rankers.items()},
        "injection, words": injected(archive, questions, NO_MODEL),
        **({"injection, semantic": injected(archive, questions, None)} if model else {}),
    }


def supplied(name: str) -> Path:
    """The path of a data set that the user brings.

    Raises:
        ArgumentTypeError: there is no such file.
    """
    path = Path(name).expanduser()
    if not path.is_file():
        raise argparse.ArgumentTypeError(
            f"there is no file {name}. The data set is not part of this project (LoCoMo's licence "
            "is CC BY-NC): download it, and give the path of its JSON file"
        )
    return path


def main() -> int:
    """Run what was asked for and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tune", action="store_true", help="the development set")
    parser.add_argument("--set", choices=SETS, default="heldout", help="a hand-written set")
    parser.add_argument("--routine", type=int, default=0, help="sessions of routine work added")
    parser.add_argument("--removed", action="store_true", help="take the answers out")
    parser.add_argument("--reworded", action="store_true", help="the questions in other words")
    parser.add_argument("--noise", type=int, default=0, help="sessions of other subjects beside")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--no-model", action="store_true")
    parser.add_argument("--only-ours", action="store_true", help="without the baselines")
    parser.add_argument("--locomo", type=supplied, metavar="FILE")
    parser.add_argument("--longmemeval", type=supplied, metavar="FILE")
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--vectors", type=int)
    parser.add_argument("--hook", action="store_true")
    parser.add_argument("--runs", type=int, default=60, help="prompts for --hook")
    parser.add_argument("--folder", type=Path, help="where scratch archives are made")
    arguments = parser.parse_args()
    if arguments.locomo:
        result = run_talk(locomo(arguments.locomo), arguments)
    elif arguments.longmemeval:
        result = run_talk(longmemeval(arguments.longmemeval), arguments)
    elif arguments.removed:
        result = run_removed(arguments)
    elif arguments.hook:
        result = run_hook(arguments.runs, arguments.seed)
    elif arguments.vectors:
        result = run_vectors(arguments.vectors, arguments.folder)
    elif arguments.size:
        result = run_size(arguments)
    else:
        result = run_own(arguments)
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
