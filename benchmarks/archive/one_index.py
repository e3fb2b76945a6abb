"""Would one index of exchanges do the work of three? Both are built from the same turns, in turn.

    python -m benchmarks.archive.one_index [--megabytes 100] [--rounds 3]

`three` is what the archive keeps: turns by word, runs of 64 KiB letter by letter, passages of
exchanges by stem. `fields` is one index of passages with the fields of all three. `shared` also
tokenizes each text once: what was said by stem with positions (for search and recall), and all
that tools did letter by letter (for `--exact` and recall); search and recall lose words as they
were written, recall loses the stems of tools. Turns are in memory before the clock starts.
Prints JSON for each: CPU seconds to build (least of the rounds; tantivy's threads are in it),
megabytes on disk, documents, and CPU milliseconds (median, 95th percentile) to find the best 20 by
two words, by a phrase, and all that may hold a line of code. O(bytes); 100 MB take two minutes.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import tantivy
from benchmarks.archive.corpus import prose, sessions, sources

from dejavu.archive.search import exact_index, index, tokenize
from dejavu.archive.search.substring import pieces
from dejavu.model import Conversation, Turn
from dejavu.recall.history import documents
from dejavu.recall.terms import STEMS, analyzer

HEAP = 64_000_000
QUESTIONS = 100
_LETTERS = "letters"  # tokens as they are written
Sessions = list[tuple[int, Conversation, list[Turn]]]
Row = tuple[int, Conversation, list[Turn], documents.Passage]


def given(size: int) -> tuple[int, Sessions]:
    """Raw bytes, and conversations with their turns."""
    total, found = 0, list[tuple[int, Conversation, list[Turn]]]()
    for number, session in enumerate(sessions(size), 1):
        turns: list[Turn] = []
        for line, turn in session.lines():
            total += len(line)
            if turn is not None:
                turns.append(msgspec.structs.replace(turn, seq=len(turns)))
        found.append((number, session.summary(), turns))
    return total, found


def letters() -> tantivy.TextAnalyzer:
    """The tokenizer of exact text."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build()


def folder_index(folder: Path, schema: tantivy.Schema) -> tantivy.Index:
    """An empty index with every tokenizer."""
    folder.mkdir(parents=True)
    made = tantivy.Index(schema, path=str(folder))
    made.register_tokenizer(tokenize.TOKENIZER, tokenize.analyzer())
    made.register_tokenizer(STEMS, analyzer())
    made.register_tokenizer(_LETTERS, letters())
    return made


def three(folder: Path, found: Sessions) -> None:
    """Words, exact text and recall as the archive has them."""
    words = index.SearchIndex(_made(folder / "words"), b"0")
    with words.writer(HEAP) or _refused() as writer:
        for number, summary, turns in found:
            writer.add(number, summary, turns)
        writer.commit(1)
    exact = exact_index.ExactIndex(_made(folder / "exact"), b"0")
    with exact.writer(HEAP) or _refused() as writer:
        follower = exact_index.ExactFollower(exact, writer)
        for number, _, turns in found:
            follower.begin_at(_change(number, len(turns)), 0)
            for turn in turns:
                follower.take(turn)
            follower.end()
        follower.reach(1)
    recall = folder_index(folder / "recall", documents.schema())
    recall_writer = recall.writer(HEAP, 1)
    for number, summary, turns in found:
        for passage in documents.passages(turns, documents.ExchangeStart()):
            recall_writer.add_document(documents.to_document(passage, number, summary))
    recall_writer.commit()
    recall_writer.wait_merging_threads()


def one(folder: Path, found: Sessions, *, shared: bool) -> None:
    """One index: a document a passage of an exchange."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("letters", tokenizer_name=_LETTERS, index_option="basic")
    said = STEMS if shared else tokenize.TOKENIZER
    builder.add_text_field("words", tokenizer_name=said, index_option="position")
    builder.add_text_field("path", tokenizer_name=tokenize.TOKENIZER, index_option="position")
    for name in ("before",) if shared else ("text", "before", "tools"):
        builder.add_text_field(name, tokenizer_name=STEMS, index_option="freq")
    builder.add_text_field("facet", tokenizer_name="whitespace", index_option="basic")
    for name in ("conversation", "ordinal", "exchange", "seq", "stop", "answer", "prompt"):
        builder.add_unsigned_field(name, indexed=name != "answer", fast=True)
    builder.add_float_field("at", fast=True)
    writer = folder_index(folder / "one", builder.build()).writer(HEAP, 1)
    for number, summary, turns, passage in _passages(found):
        writer.add_document(_document(number, summary, turns, passage, shared=shared))
    writer.commit()
    writer.wait_merging_threads()


def _passages(found: Sessions) -> Iterator[Row]:
    for number, summary, turns in found:
        before = -1  # the turn the last passage ended with: a long one makes several
        for passage in documents.passages(turns, documents.ExchangeStart()):
            own = turns[max(passage.seq, before + 1) : passage.stop + 1]
            before = passage.stop
            yield number, summary, own, passage


def _document(
    number: int, summary: Conversation, turns: list[Turn], passage: documents.Passage, *,
    shared: bool,
) -> tantivy.Document:  # fmt: skip
    """A passage with the words and the letters of its turns."""
    made = documents.to_document(passage, number, summary)
    if shared:
        bare = msgspec.structs.replace(passage, spoken=[], tools=[])
        made = documents.to_document(bare, number, summary)
    searched = [tokenize.searchable_text(turn) for turn in turns]
    texts = tokenize.split_all_identifiers([text.text for text in searched])
    for text in texts:
        made.add_text("words", text)
    for text in searched:
        for path in text.paths:
            made.add_text("path", path)
    for turn in turns:
        for piece in pieces(turn):
            made.add_text("letters", piece)
    return made


def _change(number: int, stop: int) -> Any:
    from dejavu.archive import Change, LogEntry

    return LogEntry(1, Change.TURNS, str(number), number, 0, stop, 0, 0.0)


def _made(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder


def _refused() -> Any:
    raise SystemExit("the index takes no writer")


def asked(folders: dict[str, Path]) -> dict[str, dict[str, float]]:
    """CPU milliseconds of each kind of question, by the field that answers it."""
    chance = random.Random(7)
    said = [[word for word in text.split() if word.isalpha()] for text in prose()]
    said = [words for words in said if len(words) >= 4]
    lines = [line.strip() for _, text in sources() for line in text.splitlines() if len(line) > 50]
    kinds: dict[str, list[tuple[str, str]]] = {
        "words": [("words", " ".join(chance.sample(chance.choice(said), 2))) for _ in range(QUESTIONS)],
        "phrase": [("phrase", " ".join(chance.choice(said)[:3])) for _ in range(QUESTIONS)],
        "exact": [("exact", chance.choice(lines)[3:33]) for _ in range(QUESTIONS)],
    }  # fmt: skip
    return {
        kind: _timed(folders["exact" if kind == "exact" else "words"], questions)
        for kind, questions in kinds.items()
    }


def _timed(folder: Path, questions: list[tuple[str, str]]) -> dict[str, float]:
    found = tantivy.Index.open(str(folder))
    found.register_tokenizer(tokenize.TOKENIZER, tokenize.analyzer())
    found.register_tokenizer(STEMS, analyzer())
    for name in (_LETTERS, "tokens"):
        found.register_tokenizer(name, letters())
    one_index = folder.name == "one"
    taken: list[float] = []
    documents_found = 0
    searcher = found.searcher()
    for kind, text in questions:
        field = "words" if one_index else "text"
        most = 20
        if kind == "exact":
            field, most = ("letters" if one_index else "text"), 100_000
            words = letters().analyze(text)[1:-1]
            asked_for = " AND ".join(words) or "nothing"
        else:
            asked_for = f'"{text}"' if kind == "phrase" else text
        start = time.process_time()
        query, _ = found.parse_query_lenient(asked_for, [field])
        documents_found += len(searcher.search(query, most, count=False).hits)
        taken.append(1e3 * (time.process_time() - start))
    return {
        "median_cpu_ms": round(statistics.median(taken), 3),
        "p95_cpu_ms": round(statistics.quantiles(taken, n=20)[18], 3),
        "documents": documents_found // len(questions),
    }


WAYS: dict[str, Callable[[Path, Sessions], None]] = {
    "three": three,
    "fields": lambda folder, found: one(folder, found, shared=False),
    "shared": lambda folder, found: one(folder, found, shared=True),
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=100.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    total, found = given(int(options.megabytes * 1e6))
    cpu: dict[str, list[float]] = {way: [] for way in WAYS}
    figures: dict[str, dict[str, Any]] = {}
    for _ in range(options.rounds):
        for way, build in WAYS.items():
            with tempfile.TemporaryDirectory(prefix="dejavu-one-index-") as scratch:
                folder = Path(scratch)
                start = time.process_time()
                build(folder, found)
                cpu[way].append(time.process_time() - start)
                size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
                names = {part.name: part for part in folder.iterdir()}
                asked_in = {kind: names.get(kind, folder / "one") for kind in ("words", "exact")}
                figures[way] = {"megabytes": round(size / 1e6, 2), "asked": asked(asked_in)}
    for way, seconds in cpu.items():
        figures[way]["cpu_seconds"] = round(min(seconds), 2)
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({"raw_bytes": total, "ways": figures, "load": load}, indent=1))


if __name__ == "__main__":
    main()
