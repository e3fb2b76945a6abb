"""How well history comes back: our ranking beside BM25 and the two systems it replaces.

    python benchmarks/recall.py                       our own coding sessions, the held-out half
    python benchmarks/recall.py --tune                the other half, for choosing weights
    python benchmarks/recall.py --locomo FILE         LoCoMo's locomo10.json, supplied by you
    python benchmarks/recall.py --longmemeval FILE    LongMemEval's json, supplied by you
    python benchmarks/recall.py --size 100000         cost at a size, in milliseconds
    python benchmarks/recall.py --hook                what a prompt waits for, warm and cold

Prints JSON. R@k is the mean share of the gold turns among the first k; a question without gold is
to be met with silence. The halves share their templates, so they are alike; they do not share
questions. Rows that need MiniLM appear where the packages of the `semantic` extra are installed.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from recall_hook import run_hook
from recall_peers import BM25, Cosine, TrigramEntity
from recall_score import NO_MODEL, false_injections, ours, own_corpus, peer, scored
from recall_size import run_size
from recall_talk import locomo, longmemeval, run_talk

from dejavu.recall import Recall
from dejavu.recall.history.minilm import encoder


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
            injection = false_injections(archive, questions, every)
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--no-model", action="store_true")
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--longmemeval", type=Path)
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--hook", action="store_true")
    parser.add_argument("--runs", type=int, default=60, help="prompts for --hook")
    parser.add_argument("--folder", type=Path, help="where scratch archives are made")
    arguments = parser.parse_args()
    if arguments.locomo:
        result = run_talk(locomo(arguments.locomo), arguments)
    elif arguments.longmemeval:
        result = run_talk(longmemeval(arguments.longmemeval), arguments)
    elif arguments.hook:
        result = run_hook(arguments.runs, arguments.seed)
    elif arguments.size:
        result = run_size(arguments)
    else:
        result = run_own(arguments)
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
