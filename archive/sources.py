"""Sources: what was read from where, how far, and its exact bytes.

`Archive.sources`: raw bytes, cursors, parsers' states, and which conversations a source holds.
Everything is as of the last commit. Memory stays at one piece of raw (1 MiB) whatever the source's
length. Costs O(what is asked).
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from dejavu.model import CorruptArchiveError, HiddenTurnsError, NotFoundError

from . import conversations, raw
from .backends.transaction import Reader
from .keys import number_key
from .records import NEVER, Source, unpack

if TYPE_CHECKING:
    from .store import Archive

_PIECE = 1 << 20  # bytes of raw handed out at a time


class Sources:
    """What an archive knows of sources."""

    def __init__(self, archive: "Archive") -> None:
        """Use `Archive.sources`."""
        self._archive = archive

    def raw(self, source: str, generation: int | None = None) -> Iterator[bytes]:
        """The exact bytes of a source, in order, in pieces of at most 1 MiB.

        `generation` None is the latest; older writings count from 0. Where the beginning was
        pruned, what came after it.

        Raises:
            NotFoundError: no such source.
            CorruptArchiveError: a piece is damaged or missing; what comes before it was yielded.
        """
        record = self._source(source)
        if record is None:
            raise NotFoundError(f"no source {source!r} in the archive; see `dejavu doctor`")
        which = record.generation if generation is None else generation
        offset = record.pruned if which == record.generation else 0
        while True:
            piece = self._archive.backend.read(
                partial(
                    raw.read, source=record.number, generation=which, offset=offset,
                    length=_PIECE, chunks=raw.Chunks(),
                )
            )  # fmt: skip
            if not piece:
                break
            yield piece
            offset += len(piece)
        if which == record.generation and offset < record.length and record.pruned != NEVER:
            now = self._source(source)  # unless it was pruned meanwhile
            if now is not None and now.pruned == record.pruned:
                raise CorruptArchiveError(
                    f"raw of {source} ends at {offset}, not at {record.length}; "
                    "run `dejavu archive verify --repair`"
                )

    def raw_part(self, source: str, offset: int, length: int) -> bytes:
        """The bytes `[offset, offset + length)` of a source's latest writing, or what there is of them.

        Raises:
            NotFoundError: no such source.
        """
        record = self._source(source)
        if record is None:
            raise NotFoundError(f"no source {source!r} in the archive; see `dejavu doctor`")
        look = partial(
            raw.read, source=record.number, generation=record.generation, offset=offset,
            length=length, chunks=raw.Chunks(),
        )  # fmt: skip
        return self._archive.backend.read(look)

    def knows(self, source: str) -> bool:
        """Whether anything of a source was ever stored."""
        return self._source(source) is not None

    def raw_length(self, source: str) -> int:
        """Bytes held of a source's latest generation; 0 for one never seen."""
        record = self._source(source)
        return 0 if record is None else record.length

    def raw_extent(self, source: str) -> tuple[int, int]:
        """The latest generation of a source and its length; (0, 0) for one never seen."""
        record = self._source(source)
        return (0, 0) if record is None else (record.generation, record.length)

    def of(self, conversation: str) -> tuple[str, ...]:
        """The keys of the sources a conversation was read from."""

        def look(txn: Reader) -> tuple[str, ...]:
            prefix = b"c" + number_key(conversations.require(txn, conversation).number)
            return tuple(
                key.decode("utf-8", "surrogatepass") for _, key in txn.under("links", prefix)
            )

        return self._archive.backend.read(look)

    def refuse_hidden(self, conversation: str) -> None:
        """Say where this login may not read all raw of a conversation that it may read.

        Raises:
            HiddenTurnsError: its session log is shared with a project that is hidden.
        """

        def look(txn: Reader) -> bool:
            return txn.partial and raw.hides_any(
                txn, conversations.require(txn, conversation).number
            )

        if self._archive.backend.read(look):
            raise HiddenTurnsError(f"{conversation}: {raw.SHARED}")

    def conversations(self, source: str) -> tuple[str, ...]:
        """The ids of the conversations a source holds."""
        record = self._source(source)
        if record is None:
            return ()
        prefix = b"s" + number_key(record.number)
        return self._archive.backend.read(
            lambda txn: tuple(key[len(prefix) :].decode() for key, _ in txn.under("links", prefix))
        )

    def all_keys(self) -> tuple[str, ...]:
        """The keys of all sources ever seen."""
        return self._archive.backend.read(
            lambda txn: tuple(source.key for source in _all_sources(txn))
        )

    def cursor(self, source: str) -> bytes | None:
        """Where reading of a source continues: what the last commit said."""
        record = self._source(source)
        return None if record is None else record.cursor

    def cursors(self) -> dict[str, bytes]:
        """The cursors of all sources, in one transaction."""
        return self._archive.backend.read(
            lambda txn: {s.key: s.cursor for s in _all_sources(txn) if s.cursor is not None}
        )

    def state(self, source: str) -> bytes | None:
        """The parser's state of a source: what the last commit said."""
        record = self._source(source)
        if record is None:
            return None
        return self._archive.backend.read(lambda txn: txn.get("states", number_key(record.number)))

    def _source(self, key: str) -> Source | None:
        return self._archive.backend.read(lambda txn: raw.find_source(txn, key))


def _all_sources(txn: Reader) -> Iterator[Source]:
    for _, value in txn.items("sources"):
        yield unpack(value, Source)
