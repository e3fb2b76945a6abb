"""The memory of secrets: which secret is where in the archive, kept up to it, without any value.

Kept in the archive's namespace `secrets` (0600 like all of it): kind, digest under the archive's key
and last characters of each hit, never the secret.

    m                     the rules' digest, the archive's log and the settings of the last scan
    t<conversation> 00 <seq>     the hits of a turn
    r<source>             how much of a source's raw was read, and the hits in it
    f<path's digest>      how an agent's file was when it was read, and the digests in it

Costs O(what was archived since the last scan): turns by the archive's log, raw by its length. A
source that is not appended to but rewritten is read again. Other rules read everything again.

Tested in: tests/services/secrets/test_secrets.py
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from dejavu.archive import Archive, NamespaceTxn, derived
from dejavu.archive.redactor import rules_digest
from dejavu.ingest.channel import load_session_log
from dejavu.model import ArchiveError, NotFoundError
from dejavu.model.blake2 import blake2b
from dejavu.redact import Redactor
from dejavu.redact.conversation import values_of

from .find import Hit, hits_in, raw_hits

NAMESPACE = "secrets"
_PIECE = 1 << 20
_BATCH = 64


class _Meta(msgspec.Struct, array_like=True, frozen=True):
    rules: str = ""
    sequence: int = 0


class TurnHits(msgspec.Struct, array_like=True, frozen=True):
    """The secrets of one turn."""

    role: str
    vector: str
    at: float | None
    hits: list[Hit]


class RawHits(msgspec.Struct, array_like=True, frozen=True):
    """The secrets of a source's raw, and how much of it was read: generations whole, then bytes."""

    generation: int
    length: int
    hits: list[Hit]


class _FileDigests(msgspec.Struct, array_like=True, frozen=True):
    rules: str
    stamp: tuple[int, int]
    digests: list[str]


class Scan:
    """The memory of one archive. An archive that cannot be written is read again each time."""

    def __init__(
        self, archive: Archive, redactor: Redactor, progress: Callable[[str], None] = lambda _: None
    ) -> None:
        self._archive, self.redactor, self._progress = archive, redactor, progress
        self._names = archive.namespace(NAMESPACE)
        self.turns: dict[tuple[str, int], TurnHits] = {}
        """Turns with secrets, by conversation and seq."""
        self.raw: dict[str, RawHits] = {}
        """Sources, by key; most without a hit."""
        self.read = 0
        """Turns and sources that were read this time."""
        self._kept: dict[bytes, bytes | None] = {}

    def catch_up(self) -> None:
        """Read what is new, and keep what was found."""
        meta = self._load()
        try:
            sequence = self._read_turns(meta.sequence)
            self._read_raw()
            self._keep(b"m", _Meta(rules_digest(), sequence))
        finally:
            self._flush()

    def forget(self, source: str) -> None:
        """Read the raw of a source again next time: it was changed and is as long as before."""
        self.raw.pop(source, None)
        self._keep(b"r" + source.encode("utf-8", "surrogatepass"), None)
        self._flush()

    def file_digests(self, path: Path) -> frozenset[str] | None:
        """Return the digests of the secrets that stand in a file; None where it cannot be read."""
        key = b"f" + blake2b(str(path).encode("utf-8", "surrogateescape"), digest_size=16).digest()
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if (value := self._names.get(key)) is not None:
                kept = msgspec.msgpack.decode(value, type=_FileDigests)
                if (kept.rules, kept.stamp) == (rules_digest(), stamp):
                    return frozenset(kept.digests)
            self._progress(str(path))
            found = [hit.digest for hit in raw_hits(self.redactor, _pieces(path))]
        except OSError:
            return None
        self._keep(key, _FileDigests(rules_digest(), stamp, found))
        self._flush()
        return frozenset(found)

    def path_of(self, source: str) -> Path | None:
        """Return the agent's file that a source was read from; None where there is none."""
        record = load_session_log(self._archive, source)
        return None if record is None else record.path

    def _load(self) -> _Meta:
        value = self._names.get(b"m")
        meta = _Meta() if value is None else msgspec.msgpack.decode(value, type=_Meta)
        if meta.rules != rules_digest():
            self._kept.update((key, None) for key, _ in self._names.items())
            return _Meta()
        for key, value in self._names.items(b"t"):
            conversation, _, seq = key[1:].partition(b"\0")
            turn = msgspec.msgpack.decode(value, type=TurnHits)
            self.turns[conversation.decode(), int.from_bytes(seq, "big")] = turn
        for key, value in self._names.items(b"r"):
            name = key[1:].decode("utf-8", "surrogatepass")
            self.raw[name] = msgspec.msgpack.decode(value, type=RawHits)
        return meta

    def _read_turns(self, sequence: int) -> int:
        """Read the turns that changed since `sequence`; return the log's last."""
        changes = derived.fold(self._archive.log(sequence))
        stale: dict[str, list[int]] = {}
        for conversation, seq in self.turns:
            stale.setdefault(conversation, []).append(seq)
        for change in changes:
            conversation, start = change.conversation, change.start
            sequence = change.sequence
            for seq in stale.get(conversation, ()):
                if seq >= start:
                    del self.turns[conversation, seq]
                    self._keep(_turn_key(conversation, seq), None)
            self._read_conversation(conversation, start)
        return sequence

    def _read_conversation(self, conversation: str, start: int) -> None:
        self._progress(conversation)
        with suppress(NotFoundError):  # it was pruned
            for turn in self._archive.turns(conversation, start):
                self.read += 1
                hits = hits_in(self.redactor, values_of(turn))
                if hits:
                    found = TurnHits(str(turn.role), str(turn.vector), turn.at, hits)
                    self.turns[conversation, turn.seq] = found
                    self._keep(_turn_key(conversation, turn.seq), found)

    def _read_raw(self) -> None:
        for key in self._archive.sources.all_keys():
            before = self.raw.get(key)
            generation, length = self._archive.sources.raw_extent(key)
            if before is not None and (before.generation, before.length) == (generation, length):
                continue
            self._progress(key)
            self.read += 1
            found = self._raw_since(key, before, generation, length)
            self.raw[key] = found
            self._keep(b"r" + key.encode("utf-8", "surrogatepass"), found)

    def _raw_since(self, key: str, before: RawHits | None, generation: int, length: int) -> RawHits:
        """Read the raw behind what was read before; all of it where that was rewritten."""
        if before is None or before.generation > generation or (
            before.generation == generation and before.length > length
        ):  # fmt: skip
            before = RawHits(0, 0, [])
        hits = {(hit.kind, hit.digest): hit for hit in before.hits}
        for number in range(before.generation, generation + 1):
            skip = before.length if number == before.generation else 0
            pieces = _skipped(self._archive.sources.raw(key, number), skip)
            with suppress(NotFoundError):
                for hit in raw_hits(self.redactor, pieces):
                    hits[hit.kind, hit.digest] = hit
        return RawHits(generation, length, list(hits.values()))

    def _keep(self, key: bytes, value: msgspec.Struct | None) -> None:
        self._kept[key] = None if value is None else msgspec.msgpack.encode(value)
        if len(self._kept) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        """Write what was found; a reader's archive keeps nothing."""
        kept, self._kept = self._kept, {}
        if not kept:
            return

        def write(txn: NamespaceTxn) -> None:
            for key, value in kept.items():
                if value is None:
                    txn.delete(key)
                else:
                    txn.put(key, value)

        with suppress(ArchiveError):
            self._names.change(write)


def _turn_key(conversation: str, seq: int) -> bytes:
    return b"t" + conversation.encode() + b"\0" + seq.to_bytes(8, "big")


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _skipped(pieces: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """Yield the bytes behind `skip`, from the beginning of the line that continues there."""
    tail = b""
    for piece in pieces:
        if skip <= 0:
            yield tail + piece
            tail = b""
            continue
        before = (tail + piece[:skip]).rpartition(b"\n")[2]
        rest, skip = piece[skip:], skip - len(piece)
        if rest:
            yield before + rest
            tail = b""
        else:
            tail = before
