"""Sentence vectors of exchanges, made in the background: the optional `semantic` extra.

A vector a passage, prompt and answer together (an answer means little without its question), in
the files of `vector_store`. The encoder is the extra's model, or one that the caller brings
(`custom_encoder`); without either everything here returns nothing. Vectors of another model, or of
an archive that was restored, are made again. The newest conversation comes first: a long backlog
must not keep today's work waiting. A server that compares meanings gets the vectors of what this login
may write; files are then made only where this machine keeps an index.

Costs: embedding 30 to 200 passages a second; the nearest as `VectorStore.nearest`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol

from dejavu.archive import Archive, Change, LogEntry, Position, derived
from dejavu.model import ConfigError, NotFoundError

from ..rationale import is_own_prompt
from .documents import Document, ExchangeStart, Meaning, Passage, passages
from .minilm import DIMENSIONS, MODEL, encoder, is_installed
from .vector_server import AskedVector, PassageStore, compares_meanings, stores_of
from .vector_store import FOLDER, State, VectorStore, margin

_LONGEST = 1_500  # characters of a text
_BACK = 1  # passages before a change that are rebuilt with it


class SentenceEncoder(Protocol):
    """Texts to an array of unit vectors, a row each."""

    @property
    def name(self) -> str:
        """What tells vectors of this model from others'."""
        ...

    def __call__(self, texts: list[str]) -> Any:
        """An array of shape (texts, dimensions), float32."""
        ...


class CustomEncoder:
    """An encoder of the caller's: a function from one text to one vector."""

    def __init__(self, embed: Callable[[str], Sequence[float]], name: str) -> None:
        """Use `embed`; `name` must change when its vectors do."""
        self.name = name
        self._embed = embed

    def __call__(self, texts: list[str]) -> Any:
        """An array of unit vectors, each padded with zeros to a length that 64 divides."""
        np: Any = import_module("numpy")
        vectors = [np.asarray(self._embed(text), dtype=np.float32) for text in texts]
        if len({vector.shape for vector in vectors}) > 1 or vectors[0].ndim != 1:
            raise ConfigError(f"the embedder {self.name!r} gave vectors of several shapes")
        rows = np.stack(vectors)
        rows = np.pad(rows, ((0, 0), (0, -rows.shape[1] % 64)))
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def embed_pending(archive: Archive, most: int = 1_000, model: SentenceEncoder | None = None) -> int:
    """Make the vectors of up to about `most` passages that have none; return how many."""
    made = 0
    for count in embedding(archive, model):
        made += count
        if not count and made >= most:
            break
    return made


def embedding(archive: Archive, model: SentenceEncoder | None = None) -> Iterator[int]:
    """Make the missing vectors one at a time; yield how many each step made.

    It yields 0 where what was made is stored; closed elsewhere, the last change is begun again.

    Raises:
        ConfigError: the model gives NaN, or vectors of another length than before.
    """
    model = None if archive.readonly else model or encoder()
    if model is None:
        return
    known = model.name == MODEL
    for store in stores_of(
        archive, model.name, lambda: DIMENSIONS if known else encode(model, ["dimension"]).shape[1]
    ):
        with store.writing() as alone:
            if alone:
                yield from _embed(archive, model, store)


def _embed(archive: Archive, model: SentenceEncoder, store: PassageStore) -> Iterator[int]:
    """The work of `embedding`, for the one who writes."""
    state = store.state()
    if state is None or state.model != model.name or not _is_of(archive, state, store.finished()):
        state = store.begin(model.name, encode(model, ["dimension"]).shape[1])
    np: Any = import_module("numpy")
    backlog = _Backlog(archive, state, store)
    while (entry := backlog.newest()) is not None:
        held = store.held(state, entry.number)
        texts, documents, workspace, begin = _wanted(archive, entry, held)
        rows: list[Any] = []
        for text in texts:
            rows.append(encode(model, [text], state.dimensions))
            yield 1
        vectors = np.vstack(rows) if rows else np.zeros((0, state.dimensions), np.float32)
        state = store.replace(state, entry.number, begin, documents, vectors, workspace)
        store.finish(entry.number, Position(entry.sequence, entry.at))
        yield 0
    if backlog.position.sequence > state.sequence:
        state = store.advance(state, backlog.position)
    store.compact(state)


class _Backlog:
    """What the log has for which there are no vectors, as it grows."""

    def __init__(self, archive: Archive, state: State, store: PassageStore) -> None:
        self._log, self._store = archive.log, store
        self._finished = store.finished() if state.model else {}
        self.position = Position(state.sequence, state.at)
        self._waiting: dict[int, LogEntry] = {}

    def newest(self) -> LogEntry | None:
        """The conversation changed last, with all that changed in it; None where none waits."""
        self.look()
        return self._waiting.pop(next(reversed(self._waiting)), None) if self._waiting else None

    def look(self) -> int:
        """Take in what the log has by now; return how many conversations wait."""
        added: list[LogEntry] = []
        for entry in self._log(self.position.sequence):
            self.position = Position(entry.sequence, entry.at)
            if entry.sequence > self._finished.get(entry.number, Position()).sequence:
                added.append(entry)
        if added:
            folded = derived.fold([*self._waiting.values(), *added])
            last = {entry.number: entry.sequence for entry in folded}
            wanted = self._store.wanted(last)
            self._waiting = {entry.number: entry for entry in folded if entry.number in wanted}
        return len(self._waiting)


def pending(archive: Archive) -> int | None:
    """How many conversations have no vectors yet, or not all; None where none are made.

    Loads no model. Costs O(log entries since the last one that had them all).
    """
    if not is_installed():
        return None
    store = stores_of(archive, MODEL, lambda: DIMENSIONS)[
        -1
    ]  # that of this machine's own questions
    state = store.state()
    if state is None or not _is_of(archive, state, store.finished()):
        state = State(model="", dimensions=0)
    return _Backlog(archive, state, store).look()


def _is_of(archive: Archive, state: State, finished: dict[int, Position]) -> bool:
    """Whether vectors were made from this archive, and not from what a restore replaced."""
    furthest = max([Position(state.sequence, state.at), *finished.values()])
    return derived.holds(archive.log, furthest)


def _wanted(
    archive: Archive, entry: LogEntry, held: set[tuple[int, int]]
) -> tuple[list[str], list[Document], str, int]:
    """The texts of a changed conversation, what each is of, its workspace, and the first turn.

    held: the turns of the passages that have vectors; a run that was cut short left some out.
    """
    nothing: tuple[list[str], list[Document], str, int] = ([], [], "", 0)
    if entry.change is Change.REMOVED:
        return nothing
    try:
        if is_own_prompt(archive, entry.conversation):
            return nothing
        summary = archive.summary(entry.conversation)
        found = list(passages(archive.turns(entry.conversation), ExchangeStart()))
    except NotFoundError:  # gone meanwhile: its removal is a later entry of the log
        return nothing
    changed = [
        number
        for number, passage in enumerate(found)
        if passage.stop >= entry.start or (passage.seq, passage.stop) not in held
    ]
    first = max(0, changed[0] - _BACK) if changed else len(found)
    begin = found[first].seq if first < len(found) else entry.start
    wanted = [passage for passage in found if passage.stop >= begin and passage.text.strip()]
    ended = summary.ended_at or summary.started_at or 0.0
    documents = [
        Document(
            entry.number, passage.ordinal, passage.exchange, passage.seq, passage.stop, 0.0,
            ended if passage.at is None else passage.at,
        )
        for passage in wanted
    ]  # fmt: skip
    place = summary.place
    return [_text(passage) for passage in wanted], documents, place, begin


def _text(passage: Passage) -> str:
    """What of a passage is embedded: its beginning, and the end of what is longer."""
    text = passage.text
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 500]}\n{text[-499:]}"


def encode(model: SentenceEncoder, texts: list[str], dimensions: int | None = None) -> Any:
    """The vectors of some texts.

    Raises:
        ConfigError: the model returns no finite vectors, or not of the dimension expected.
    """
    np: Any = import_module("numpy")
    rows = model(texts)
    expected = (len(texts), dimensions or (rows.shape[1] if rows.ndim == 2 else 0))
    if rows.shape != expected or not np.isfinite(rows).all():
        raise ConfigError(
            f"the sentence model {model.name} gave vectors of shape {rows.shape}"
            f"{'' if np.isfinite(rows).all() else ' with NaN'}, not finite ones of shape {expected}; "
            "reinstall the semantic extra, or set `vectors = false` in [recall]"
        )
    return rows


def nearest(
    archive: Archive,
    text: str,
    most: int,
    workspace: str | None = None,
    model: SentenceEncoder | None = None,
) -> list[Document]:
    """The passages nearest to `text`; empty without a model or vectors.

    Their score is their margin.
    """
    places = () if workspace is None else (workspace,)
    return meaning(archive, text, most, places, model).nearest


_SILENT = Meaning([], {})


def meaning(
    archive: Archive,
    text: str,
    most: int,
    places: Sequence[str] = (),
    model: SentenceEncoder | None = None,
    *,
    exchanges: Collection[tuple[int, int]] = (),
) -> Meaning:
    """The passages nearest to `text`, and how near some exchanges are; empty without vectors.

    places: workspaces and projects to look in; none: everywhere. What has a project is under that.
    """
    if not (archive.root / FOLDER / "state").exists():
        return _SILENT  # before a model is loaded
    model = model or encoder()
    if model is None:
        return _SILENT
    store = _stores.get(str(archive.root)) or VectorStore(archive.root)
    _stores[str(archive.root)] = store
    state = store.state()
    if state is None or not state.rows or state.model != model.name:
        return _SILENT
    vector = encode(model, [text[:_LONGEST]], state.dimensions)[0]
    try:
        background = store.background(state, vector, *places)
        found = store.nearest(state, vector, most, *places)
        margins = store.cosines(state, vector, exchanges) if exchanges else {}
    except (OSError, ValueError):  # rewritten meanwhile: the next question has them
        return _SILENT
    return Meaning(
        [document._replace(score=margin(document.score, background)) for document in found],
        {exchange: margin(cosine, background) for exchange, cosine in margins.items()},
    )


def asked_vector(
    archive: Archive, text: str, model: SentenceEncoder | None = None
) -> AskedVector | None:
    """A question's vector for a server that compares meanings; None where it does not, or without a model."""
    if not compares_meanings(archive):
        return None  # before a model is loaded
    model = model or encoder()
    if model is None:
        return None
    vector = encode(model, [text[:_LONGEST]])[0]
    return AskedVector(model.name, vector) if len(vector) == DIMENSIONS else None


def likeness(
    archive: Archive, exchanges: Collection[tuple[int, int]]
) -> Callable[[tuple[int, int], tuple[int, int]], float | None]:
    """A function from two of some exchanges to their cosine; None where one has no vector."""
    store = _stores.get(str(archive.root))
    state = None if store is None else store.state()
    found: dict[tuple[int, int], Any] = {}
    if store is not None and state is not None and state.rows:
        with suppress(OSError, ValueError):  # rewritten meanwhile
            found = store.vectors(state, exchanges)
    return cosines_between(found)


def cosines_between(
    found: Mapping[tuple[int, int], Any],
) -> Callable[[tuple[int, int], tuple[int, int]], float | None]:
    """A function from two exchanges to the cosine of their vectors; None where one has none."""

    def cosine(first: tuple[int, int], second: tuple[int, int]) -> float | None:
        if first not in found or second not in found:
            return None
        return float(found[first] @ found[second])

    return cosine


_stores: dict[str, VectorStore] = {}
