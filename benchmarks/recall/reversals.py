"""Reversals and repetitions of curated memories: found, and wrongly found, on labelled pairs.

    python -m benchmarks.recall.reversals           the pairs of tests/recall/memory/reversals.toml, as JSON
    python -m benchmarks.recall.reversals FILE      the pairs of a file, read by the model now
    python -m benchmarks.recall.reversals --crossed each half by weights that were fitted without it
    python -m benchmarks.recall.reversals --fit     the weights of `recall.memory.reversal`
    python -m benchmarks.recall.reversals --forms   denials and orders by words (`conflicts.toml`, next to it)
    python -m benchmarks.recall.reversals --read    the model's reading of the pairs, for those without it

Each row next to words alone and to the band of cosines that the first version used. How alike the model
finds the words of a pair is in a file, so the first needs no model; the others do. They fit on
`statements.txt` and on the halves. A line of FILE is `label | old | new`, or a comment (`#`).
"""

import argparse
import base64
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import ROOT
from benchmarks.recall.statements import made, written

from dejavu.recall.memory import conflicts, reversal
from dejavu.recall.memory.conflicts import APART, form_chance, likeness_of, pair_similarity
from dejavu.recall.memory.reversal import POSSIBLE, SURE, Likeness, Signs, reverses, signs
from dejavu.recall.memory.similarity import SAME, similarity

FILE = ROOT / "tests/recall/memory/reversals.toml"
READ = FILE.with_name("reversals_read.json")
FORMS = FILE.with_name("conflicts.toml")
HALVES = ("tune", "held", "fresh", "sealed")
_NEAR = 0.3  # the cosine from which on two statements of one subject are worth learning from
_SHARES = {"written": 0.3, "made": 0.1, "halves": 0.6}
Pair = tuple[str, str, str, float]
Judge = Callable[[str, str, float], str]


class Case(NamedTuple):
    """A pair as it is learnt from."""

    signs: Signs
    label: str


def pairs(half: str) -> list[Pair]:
    """The labelled pairs: old, new, label, cosine."""
    told = tomllib.loads(FILE.read_text("utf-8"))
    return [
        (old, new, label, cosine)
        for group in told.get(half, ())
        for old, new, label, cosine in group["pairs"]
    ]


@cache
def _kept() -> dict[str, list[Any]]:
    read: dict[str, list[Any]] = json.loads(READ.read_text("utf-8"))
    return read


def kept_likeness(old: str, new: str, cosine: float) -> Likeness:
    """How alike the model found two texts of the file when they were read."""
    left, right, packed = _kept()[f"{old} | {new}"]
    cells = [byte / 127.5 - 1 for byte in base64.b85decode(packed)]
    width = len(right)
    return Likeness(
        cosine, left, right, [cells[at : at + width] for at in range(0, len(cells), width)]
    )


def read_pair(old: str, new: str, cosine: float) -> Likeness:
    """How alike the model finds two texts: as it was kept, else as it is read now."""
    if cosine < APART:
        return Likeness(cosine, (), (), ())
    if f"{old} | {new}" in _kept():
        return kept_likeness(old, new, cosine)
    like = likeness_of(old, new, cosine)
    assert like is not None, "the semantic extra is not installed"
    return like


def supplied(path: Path) -> list[Pair]:
    """The labelled pairs of a file with a line each."""
    from dejavu.recall.history.minilm import embed

    lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
    rows = [line.split(" | ") for line in lines if not line.startswith("#")]
    return [
        (old, new, label, round(sum(map(float.__mul__, embed(old), embed(new))), 3))
        for label, old, new in rows
    ]


def read() -> int:
    """Keep how alike the model finds the words of the file's pairs; return how many there are."""
    found: dict[str, list[Any]] = {}
    for old, new, _, cosine in (pair for half in HALVES for pair in pairs(half)):
        like = likeness_of(old, new, max(cosine, 1.0))
        assert like is not None, "the semantic extra is not installed"
        cells = bytes(round((min(1.0, cell) + 1) * 127.5) for row in like.words for cell in row)
        found[f"{old} | {new}"] = [like.old, like.new, base64.b85encode(cells).decode()]
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
    READ.write_text("{\n" + lines + "\n}\n", "utf-8")
    return len(found)


def by_meaning(old: str, new: str, cosine: float) -> str:
    """What we say with vectors; `possible` is said and changes nothing."""
    like = read_pair(old, new, cosine)
    if pair_similarity(old, new, cosine, lambda _old, _new, _cosine: like) >= SAME:
        return "same"
    return named(reverses(old, new, like))


def named(chance: float) -> str:
    """What is made of a probability."""
    return "conflict" if chance >= SURE else "possible" if chance >= POSSIBLE else "beside"


def by_words(old: str, new: str, _cosine: float) -> str:
    """What we say without."""
    if similarity(old, new) >= SAME:
        return "same"
    return named(form_chance(old, new))


def forms() -> dict[str, dict[str, dict[str, int]]]:
    """What words alone say of denials that share little, whole denials and orders turned round."""
    halves: dict[str, dict[str, list[list[str]]]] = tomllib.loads(FORMS.read_text("utf-8"))
    return {
        half: {
            kind: dict(Counter(by_words(old, new, 0.0) for old, new in listed))
            for kind, listed in kinds.items()
        }
        for half, kinds in halves.items()
    }


def by_band(_old: str, _new: str, cosine: float) -> str:
    """What deja-local says."""
    return "same" if cosine >= SAME else "conflict" if cosine >= 0.6 else "beside"


def figures(listed: Iterable[Pair], judge: Judge) -> dict[str, str]:
    """What was found of each label, and taken for a reversal wrongly."""
    return counted((label, judge(old, new, cosine)) for old, new, label, cosine in listed)


def counted(verdicts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The figures of labels and what was said."""
    found = Counter(verdicts)
    total = Counter[str]()
    for (label, _), count in found.items():
        total[label] += count
    return {
        "reversals found": f"{found['conflict', 'conflict']} of {total['conflict']}",
        "reversals called possible": f"{found['conflict', 'possible']} of {total['conflict']}",
        "two facts taken for a reversal": f"{found['beside', 'conflict']} of {total['beside']}",
        "two facts called possible": f"{found['beside', 'possible']} of {total['beside']}",
        "repetitions found": f"{found['same', 'same']} of {total['same']}",
        "repetitions taken for a reversal": f"{found['same', 'conflict']} of {total['same']}",
        "others taken for a repetition": str(found["beside", "same"] + found["conflict", "same"]),
    }


@cache
def learnt() -> dict[str, list[Case]]:
    """What there is to learn from, by where it comes from."""
    from dejavu.recall.history.minilm import embed, read_words

    kept = cache(embed)
    vars(conflicts)["read_words"] = cache(read_words)  # a text is in many pairs

    def case(old: str, new: str, label: str) -> Case | None:
        cosine = sum(map(float.__mul__, kept(old), kept(new)))
        if label == "beside" and cosine < _NEAR:
            return None
        like = likeness_of(old, new, cosine)
        found = None if like is None else signs(old, new, like)
        return None if found is None else Case(found, label)

    texts = {"written": written(), "made": made()}
    texts |= {half: [(o, n, label) for o, n, label, _ in pairs(half)] for half in HALVES}
    return {
        name: [one for pair in listed if (one := case(*pair)) is not None]
        for name, listed in texts.items()
    }


def fit(wanted: str, without: str = "") -> tuple[Signs, float]:
    """The weights of a label against the others, by a logistic regression; `without`: a half left out.

    A reversal is told from what holds together, a repetition from both.
    """
    np: Any = import_module("numpy")
    rows: list[list[float]] = []
    labels: list[float] = []
    shares: list[float] = []
    for name, cases in learnt().items():
        if name == without:
            continue
        share = _SHARES.get(name, _SHARES["halves"] / sum(half != without for half in HALVES))
        if wanted == "conflict":
            cases = [one for one in cases if one.label != "same"]
        counts = Counter(one.label == wanted for one in cases)
        for one in cases:
            rows.append(list(map(float, one.signs)))
            labels.append(float(one.label == wanted))
            shares.append(share / counts[one.label == wanted])
    table, known, weights = np.array(rows), np.array(labels), np.array(shares)
    weights *= len(weights) / weights.sum()
    middle, spread = table.mean(0), table.std(0)
    table = np.c_[np.ones(len(table)), (table - middle) / spread]
    found = np.zeros(table.shape[1])
    ridge = np.diag([1e-6, *[33.0] * len(spread)])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-table @ found))
        slope = table.T @ (weights * (chance - known)) + ridge @ found
        bend = (table.T * (weights * chance * (1 - chance))) @ table + ridge
        found -= np.linalg.solve(bend, slope)
    scaled = found[1:] / spread
    constant = float(found[0] - (scaled * middle).sum())
    return Signs(*(round(float(w), 2) for w in scaled)), round(constant, 2)


def crossed(half: str) -> dict[str, str]:
    """The figures of a half by weights that were fitted without it."""
    (reversal.REVERSES, reversal.REVERSES_CONSTANT) = fit("conflict", half)
    (reversal.REPEATS, reversal.REPEATS_CONSTANT) = fit("same", half)
    return figures(pairs(half), by_meaning)


def main() -> int:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description="Reversals of curated memories.")
    parser.add_argument("file", nargs="?", type=Path, help="pairs of your own")
    parser.add_argument("--fit", action="store_true", help="print the weights")
    parser.add_argument(
        "--crossed", action="store_true", help="each half by weights made without it"
    )
    parser.add_argument("--forms", action="store_true", help="denials and orders, by words")
    parser.add_argument("--read", action="store_true", help="keep the model's reading of the pairs")
    arguments = parser.parse_args()
    judges = {"with vectors": by_meaning, "words": by_words, "cosine from .6 to .95": by_band}
    told: Any
    if arguments.file:
        listed = supplied(arguments.file)
        told = {name: figures(listed, judge) for name, judge in judges.items()}
    elif arguments.forms:
        told = forms()
    elif arguments.read:
        told = {"read": read()}
    elif arguments.fit:
        told = {name: [fit(name)[0]._asdict(), fit(name)[1]] for name in ("conflict", "same")}
    elif arguments.crossed:
        told = {half: crossed(half) for half in HALVES}
    else:
        told = {h: {n: figures(pairs(h), j) for n, j in judges.items()} for h in HALVES if pairs(h)}
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
