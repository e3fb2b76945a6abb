"""Sentence vectors of passages: an int8 matrix in files of the archive, memory-mapped.

    codes     rows x dimensions, signed bytes: the unit vector times 127
    signs     rows x dimensions / 8 bytes: one bit a number, whether it is positive
    rows      which passage each row is of (`ROW`); conversation 0: removed
    state     msgpack `State`: how many rows are valid, by which model, up to which log entry
    done      conversations after that entry that have their vectors (`FINISHED`): newest come first

Rows are only appended, or marked as removed; what is beyond `state.rows` was cut short by a
crash and is written over. Files that do not fit each other are thrown away: all of it is derived.

Costs a question, beyond `_EXACT` rows, O(rows / 8 x dimensions) bytes read for the signs, whose
nearest thousands are compared by their codes; below, and within a small workspace, the codes alone.
"""

import mmap
import struct
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from dejavu.archive.derived import Position
from dejavu.config.files import held_lock, replace_file

from .documents import Document

VERSION = 1
FOLDER = "vectors"
ROW = (
    ("conversation", "<u8"), ("ordinal", "<u4"), ("exchange", "<u4"), ("seq", "<u4"),
    ("stop", "<u4"), ("workspace", "<u4"), ("at", "<f8"),
)  # fmt: skip
FINISHED = struct.Struct("<QQd")
"""A line of `done`: a conversation, the log entry up to which it was read, and the entry's time."""
_EXACT = 20_000  # rows that are compared by their codes at once
_CANDIDATES = 4_000  # rows nearest by their signs, whose codes are compared
_CHUNK = 16_384  # rows at a time: what the second-level cache holds of signs
_SAMPLE = 200  # rows that tell what a question is a little like anyway
_FEW = 50  # rows below which a sample's upper fifth would be the answer and what is next to it
_MEAN, _SPREAD = 0.08, 0.09  # of a question's cosines, on the development sets
_MEAN_COUNTS, _SPREAD_COUNTS = 2, 10  # how many rows those count as
_ABOVE = 1.2  # of the spread, that the upper fifth is above the mean
_USUAL = _MEAN + _ABOVE * _SPREAD  # what a question is like anyway, where no rows tell
_NEAREST = 0.95  # what it is at most taken to be
_NARROWS = 0.6
_HELD = 8  # questions whose pages stay mapped: mapping them again costs each 15 ms
_SPARSE = 0.5  # of the rows removed, from which on the files are rewritten


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the files hold."""

    version: int = VERSION
    model: str
    dimensions: int
    rows: int = 0
    removed: int = 0
    sequence: int = 0
    at: float = 0.0
    workspaces: tuple[str, ...] = ()


class VectorStore:
    """The vectors in one folder; one writer at a time, the holder of the daemon's or CLI's place."""

    def __init__(self, root: Path) -> None:
        """The store below an archive's folder; nothing is opened before it is needed."""
        self._folder = root / FOLDER
        self._np: Any = import_module("numpy")
        self._state: State | None = None
        self._questions = 0
        self._mapped: tuple[Any, Any, Any] | None = None

    def state(self) -> State | None:
        """What the files hold; None where there are none, or they do not fit each other."""
        try:
            stored = msgspec.msgpack.decode((self._folder / "state").read_bytes(), type=State)
            fits = stored.version == VERSION and all(
                (self._folder / name).stat().st_size >= stored.rows * width
                for name, width in self._widths(stored.dimensions).items()
            )
        except (OSError, msgspec.MsgspecError):
            return None
        return stored if fits else None

    def begin(self, model: str, dimensions: int) -> State:
        """Throw away what there is and begin for a model.

        Raises:
            ValueError: the dimension is no multiple of 64.
        """
        if dimensions <= 0 or dimensions % 64:
            raise ValueError(f"vectors need a dimension that 64 divides, not {dimensions}")
        import shutil  # here, since every recall loads this module

        self._mapped = None
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700)
        for name in self._widths(dimensions):
            (self._folder / name).touch(mode=0o600)
        return self._save(State(model=model, dimensions=dimensions))

    @contextmanager
    def writing(self) -> Generator[bool]:
        """Be the one writer for the length of the block; False where another process is."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        with held_lock(self._folder.parent / f"{FOLDER}.lock") as alone:
            yield alone

    def replace(
        self,
        state: State,
        conversation: int,
        start: int,
        documents: Sequence[Document],
        vectors: Any,
        workspace: str,
    ) -> State:
        """Put the vectors of a conversation's passages from turn `start` on in place of the old."""
        np = self._np
        removed = self._remove(state, conversation, start)
        workspaces = state.workspaces
        if len(documents) and workspace not in workspaces:
            workspaces = (*workspaces, workspace)
        if len(documents):
            rows = np.zeros(len(documents), dtype=list(ROW))
            for number, document in enumerate(documents):
                rows[number] = (
                    document.conversation, document.ordinal, document.exchange, document.seq,
                    document.stop, workspaces.index(workspace), document.at,
                )  # fmt: skip
            codes = (vectors * 127).round().astype(np.int8)
            for name, array in (
                ("codes", codes),
                ("signs", np.packbits(codes > 0, axis=1)),
                ("rows", rows),
            ):
                width = self._widths(state.dimensions)[name]
                with (self._folder / name).open("r+b") as file:
                    file.seek(state.rows * width)
                    file.write(array.tobytes())
        return self._save(
            msgspec.structs.replace(
                state, rows=state.rows + len(documents), removed=state.removed + removed,
                workspaces=workspaces,
            )
        )  # fmt: skip

    def finish(self, conversation: int, position: Position) -> None:
        """Note that a conversation has its vectors up to a log entry that the state is not at."""
        with (self._folder / "done").open("ab") as file:
            file.write(FINISHED.pack(conversation, *position))

    def finished(self) -> dict[int, Position]:
        """The conversations that are further than the state, and how far each is."""
        try:
            data = (self._folder / "done").read_bytes()
        except FileNotFoundError:
            return {}
        whole = data[: len(data) - len(data) % FINISHED.size]
        return {number: Position(*entry) for number, *entry in FINISHED.iter_unpack(whole)}

    def advance(self, state: State, position: Position) -> State:
        """Note that every conversation has its vectors up to a log entry."""
        state = self._save(msgspec.structs.replace(state, sequence=position[0], at=position[1]))
        (self._folder / "done").unlink(missing_ok=True)
        return state

    def compact(self, state: State) -> State:
        """Rewrite the files without the removed rows, where those are many. Costs O(rows)."""
        if state.removed <= _SPARSE * state.rows or state.rows < _CANDIDATES:
            return state
        codes, signs, rows = self._map(state)
        kept = self._np.flatnonzero(rows["conversation"])
        self._mapped = None
        for name, array in (("codes", codes), ("signs", signs), ("rows", rows)):
            chunks = range(0, len(kept), _CHUNK)
            pieces = (array[kept[at : at + _CHUNK]].tobytes() for at in chunks)
            replace_file(self._folder / name, pieces)
        return self._save(msgspec.structs.replace(state, rows=len(kept), removed=0))

    def nearest(self, state: State, vector: Any, most: int, *places: str) -> list[Document]:
        """The passages nearest to a unit vector, best first; their score is the cosine.

        places: workspaces and projects to look in; none: everywhere.
        """
        np = self._np
        codes, signs, rows = self._map(state)
        allowed = self._in(state, rows, places) if places else None
        count = state.rows if allowed is None else len(allowed)
        if count > _EXACT:
            allowed = self._by_signs(signs, vector, allowed)
        elif allowed is None:
            allowed = np.arange(count)
        allowed = allowed[rows["conversation"][allowed] != 0]
        scores = np.empty(len(allowed), dtype=np.float32)
        scaled = (vector * (1 / 127)).astype(np.float32)
        for at in range(0, len(allowed), _CHUNK):
            part = codes[allowed[at : at + _CHUNK]].astype(np.float32)
            scores[at : at + _CHUNK] = part @ scaled
        order = _largest(np, scores, most)
        self._questions += 1
        if (
            state.rows > _EXACT and not self._questions % _HELD
        ):  # let go of the pages: a few thousand rows lie all over the file
            codes.base.madvise(mmap.MADV_DONTNEED)
        return [self._document(rows[allowed[n]], float(scores[n])) for n in order]

    def cosines(
        self, state: State, vector: Any, exchanges: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], float]:
        """The best cosine of each of some exchanges' passages; those without a vector are missing.

        An exchange is its conversation and its number in it. Costs O(rows), a byte or so each.
        """
        np = self._np
        codes, _, rows = self._map(state)
        wanted = np.fromiter({number for number, _ in exchanges}, dtype=np.uint64)
        own = np.flatnonzero(np.isin(rows["conversation"], wanted))
        found: dict[tuple[int, int], float] = {}
        scaled = (vector * (1 / 127)).astype(np.float32)
        for at, row in zip(own, rows[own], strict=True):
            exchange = int(row["conversation"]), int(row["ordinal"])
            if exchange in exchanges:
                cosine = float(codes[at].astype(np.float32) @ scaled)
                found[exchange] = max(cosine, found.get(exchange, -1.0))
        return found

    def vectors(
        self, state: State, exchanges: Collection[tuple[int, int]]
    ) -> dict[tuple[int, int], Any]:
        """The vectors of the first passages of some exchanges. Costs as `cosines`."""
        np = self._np
        codes, _, rows = self._map(state)
        wanted = np.fromiter({number for number, _ in exchanges}, dtype=np.uint64)
        own = np.flatnonzero(np.isin(rows["conversation"], wanted))
        found: dict[tuple[int, int], Any] = {}
        for at, row in zip(own, rows[own], strict=True):
            exchange = int(row["conversation"]), int(row["ordinal"])
            if exchange in exchanges and exchange not in found:
                found[exchange] = codes[at].astype(np.float32) / 127
        return found

    def background(self, state: State, vector: Any, *places: str) -> float:
        """The cosine of what is only a little like a vector: the upper fifth of a sample.

        It tells how much a cosine says: short and general texts are a little like everything. Of
        a sample, so that it does not rise with what there is. Of few rows it is guessed by their mean
        and spread without the nearest, which may be the answer. Costs O(1).
        """
        np = self._np
        codes, _, rows = self._map(state)
        allowed = np.flatnonzero(rows["conversation"])
        if places:
            allowed = np.intersect1d(allowed, self._in(state, rows, places), assume_unique=True)
        some = allowed[:: max(1, len(allowed) // _SAMPLE)]
        scores = np.sort(codes[some].astype(np.float32) @ (vector * (1 / 127)).astype(np.float32))
        if len(some) < _FEW:
            return guess(scores[:-1])
        return float(scores[-(len(some) // 5) : -(len(some) // 20) or None].mean())

    def _in(self, state: State, rows: Any, places: Sequence[str]) -> Any:
        """The rows of some workspaces and projects."""
        numbers = [state.workspaces.index(one) for one in places if one in state.workspaces]
        return self._np.flatnonzero(self._np.isin(rows["workspace"], numbers))

    def _by_signs(self, signs: Any, vector: Any, allowed: Any) -> Any:
        """The rows whose signs differ least from the vector's, a few thousand."""
        np = self._np
        words = signs.view("<u8")
        wanted = np.packbits(vector > 0).view("<u8")
        count = len(words) if allowed is None else len(allowed)
        distance = np.empty(count, dtype=np.uint16)
        for at in range(0, count, _CHUNK):
            stop = min(count, at + _CHUNK)
            part = words[at:stop] if allowed is None else words[allowed[at:stop]]
            bits = np.bitwise_count(part ^ wanted)
            total = distance[at:stop]
            np.copyto(total, bits[:, 0])
            for column in range(1, bits.shape[1]):
                total += bits[:, column]
        within = np.cumsum(np.bincount(distance))
        bound = int(np.searchsorted(within, min(_CANDIDATES, count)))
        near = np.flatnonzero(distance <= bound)
        return near if allowed is None else allowed[near]

    def wanted(self, entries: Mapping[int, int]) -> Collection[int]:
        """Of conversations, each with its last log entry, those that get vectors: all."""
        return entries

    def held(self, state: State, conversation: int) -> set[tuple[int, int]]:
        """The first and last turns of the passages of a conversation. Costs O(rows)."""
        if not state.rows:
            return set()
        _, _, rows = self._map(state)
        own = rows[self._np.flatnonzero(rows["conversation"] == conversation)]
        return {(int(row["seq"]), int(row["stop"])) for row in own}

    def _remove(self, state: State, conversation: int, start: int) -> int:
        """Mark the rows of a conversation that reach turn `start`; return how many."""
        if not state.rows:
            return 0
        np = self._np
        rows = np.memmap(
            self._folder / "rows", dtype=list(ROW), mode="r+", shape=(state.rows,)
        )  # fmt: skip
        gone = np.flatnonzero((rows["conversation"] == conversation) & (rows["stop"] >= start))
        rows["conversation"][gone] = 0
        rows.flush()
        return len(gone)

    def _map(self, state: State) -> tuple[Any, Any, Any]:
        """The codes, the signs and the rows, mapped; the same while the state is."""
        if self._mapped is None or self._state != state:
            np = self._np
            shape = (state.rows, state.dimensions)
            if not state.rows:
                raise ValueError("there are no vectors yet")
            self._mapped = (
                np.memmap(self._folder / "codes", dtype=np.int8, mode="r", shape=shape),
                np.memmap(
                    self._folder / "signs", dtype=np.uint8, mode="r",
                    shape=(state.rows, state.dimensions // 8),
                ),
                np.memmap(self._folder / "rows", dtype=list(ROW), mode="r", shape=(state.rows,)),
            )  # fmt: skip
            self._mapped[0].base.madvise(mmap.MADV_RANDOM)  # or each row brings 64 KB with it
            self._state = state
        return self._mapped

    def _save(self, state: State) -> State:
        replace_file(self._folder / "state", msgspec.msgpack.encode(state))
        return state

    def _widths(self, dimensions: int) -> dict[str, int]:
        return {
            "codes": dimensions, "signs": dimensions // 8, "rows": self._np.dtype(list(ROW)).itemsize
        }  # fmt: skip

    @staticmethod
    def _document(row: Any, score: float) -> Document:
        return Document(
            int(row["conversation"]), int(row["ordinal"]), int(row["exchange"]), int(row["seq"]),
            int(row["stop"]), score, float(row["at"]),
        )  # fmt: skip


def margin(cosine: float, background: float) -> float:
    """How far a cosine is above what a text is like anyway (`VectorStore.background`).

    Among texts that are all near it, little is left up to 1, so that the same step says more.
    """
    room = (1.0 - min(background, _NEAREST)) / (1.0 - _USUAL)
    return (cosine - background) * float(room**-_NARROWS)


def guess(scores: Any) -> float:
    """What a question is like anyway, by its cosines with so few texts that no sample tells.

    Of many the nearest tell nothing of the others: then it is what is usual.
    """
    count = len(scores) if len(scores) < _FEW else 0
    mean, spread = (float(scores.mean()), float(scores.std())) if count else (0.0, 0.0)
    mean = (count * mean + _MEAN_COUNTS * _MEAN) / (count + _MEAN_COUNTS)
    spread = (count * spread + _SPREAD_COUNTS * _SPREAD) / (count + _SPREAD_COUNTS)
    return mean + _ABOVE * spread


def _largest(np: Any, scores: Any, most: int) -> Collection[int]:
    """The places of the largest scores, best first, without sorting all of them."""
    many = len(scores) > most
    some = np.argpartition(-scores, most)[:most] if many else np.arange(len(scores))
    return [int(n) for n in some[np.argsort(-scores[some], kind="stable")]]
