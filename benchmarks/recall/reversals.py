"""Reversals and repetitions of curated memories: found, and wrongly found, on labelled pairs.

    python -m benchmarks.recall.reversals           the pairs of tests/recall/memory/reversals.toml, as JSON
    python -m benchmarks.recall.reversals --fit     the weights of `recall.memory.reversal`, fitted on `tune`

Each row next to words alone and to the band of cosines that the first version used. The cosines are in
the file, so no model is needed. `--fit` needs numpy.
"""

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from dejavu.recall.memory.contradiction import contradiction
from dejavu.recall.memory.reversal import Signs, reversal, same_by_meaning, signs
from dejavu.recall.memory.similarity import SAME, similarity

FILE = Path("tests/recall/memory/reversals.toml")
Pair = tuple[str, str, str, float]
Judge = Callable[[str, str, float], str]


def pairs(half: str) -> list[Pair]:
    """The labelled pairs: old, new, label, cosine."""
    told = tomllib.loads(FILE.read_text("utf-8"))
    return [
        (old, new, label, cosine)
        for group in told[half]
        for old, new, label, cosine in group["pairs"]
    ]


def by_meaning(old: str, new: str, cosine: float) -> str:
    """What we say with vectors."""
    if max(similarity(old, new), same_by_meaning(old, new, cosine)) >= SAME:
        return "same"
    opposed = contradiction(old, new).contradicts or reversal(old, new, cosine).contradicts
    return "conflict" if opposed else "beside"


def by_words(old: str, new: str, _cosine: float) -> str:
    """What we say without."""
    if similarity(old, new) >= SAME:
        return "same"
    return "conflict" if contradiction(old, new).contradicts else "beside"


def by_band(_old: str, _new: str, cosine: float) -> str:
    """What deja-local says."""
    return "same" if cosine >= SAME else "conflict" if cosine >= 0.6 else "beside"


def figures(half: str, judge: Judge) -> dict[str, str]:
    """What was found of each label, and taken for a reversal wrongly."""
    found = Counter((label, judge(old, new, cosine)) for old, new, label, cosine in pairs(half))
    total = Counter(label for _, _, label, _ in pairs(half))
    return {
        "reversals found": f"{found['conflict', 'conflict']} of {total['conflict']}",
        "two facts taken for a reversal": f"{found['beside', 'conflict']} of {total['beside']}",
        "repetitions found": f"{found['same', 'same']} of {total['same']}",
        "repetitions taken for a reversal": f"{found['same', 'conflict']} of {total['same']}",
        "others taken for a repetition": str(found["beside", "same"] + found["conflict", "same"]),
    }


def fit(penalty: float = 1.0) -> dict[str, float]:
    """A logistic regression of the signs on the pairs of `tune`."""
    np: Any = import_module("numpy")
    told = [(signs(old, new, c), label) for old, new, label, c in pairs("tune") if label != "same"]
    rows = np.array([list(map(float, s)) for s, _ in told if s is not None])
    known = np.array([float(label == "conflict") for s, label in told if s is not None])
    middle, spread = rows.mean(0), rows.std(0)
    table = np.c_[np.ones(len(rows)), (rows - middle) / spread]
    weights = np.zeros(table.shape[1])
    ridge = np.diag([1e-6, *[penalty] * len(spread)])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (chance - known) + ridge @ weights
        weights -= np.linalg.solve((table.T * (chance * (1 - chance))) @ table + ridge, slope)
    scaled = weights[1:] / spread
    constant = weights[0] - (scaled * middle).sum()
    named = zip(Signs._fields, scaled, strict=True)
    return {"constant": round(float(constant), 1), **{n: round(float(w), 1) for n, w in named}}


def main() -> int:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description="Reversals of curated memories.")
    parser.add_argument("--fit", action="store_true", help="print the weights")
    judges = {"with vectors": by_meaning, "words": by_words, "cosine from .6 to .95": by_band}
    told: dict[str, Any] = (
        fit()
        if parser.parse_args().fit
        else {h: {n: figures(h, j) for n, j in judges.items()} for h in ("tune", "held", "fresh")}
    )
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
