"""The search index: derived from the log, thrown away and rebuilt whenever in doubt.

It is fed with the changes of the log, in order: one tantivy document a turn, several where its text
is megabytes long. How far it got (the
watermark) is a document of the index itself, so it moves with the very commit it speaks of; it
names the archive's incarnation, so an index never outlives a restore. One writer at a time, by
tantivy's own lock. Nothing here is the truth: what is found is looked up in the archive.

Costs O(words of the turns that changed), about 15 MB of text a second.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import copy
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import msgspec
import tantivy

from dejavu.model import Conversation, Role, Turn

from ..keys import text_hash
from . import tokenize

VERSION = 3
SMALL_HEAP = 16_000_000  # bytes; tantivy takes no less than 15 MB a thread
LARGE_HEAP = 64_000_000
LIVE_HEAP = 32_000_000  # of each of three indexes that are written at a time
_MARK = "mark"
_BATCH = 64  # turns whose texts are prepared together


class Mark(msgspec.Struct):
    """How far the index got, of which archive, and by which version of this module."""

    version: int
    archive_id: bytes = msgspec.field(name="incarnation")
    sequence: int


class Place(NamedTuple):
    """Where a found turn is."""

    conversation: int
    seq: int
    score: float


def schema() -> tantivy.Schema:
    """The fields: words and paths by position, facets by hash, numbers fast."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=tokenize.TOKENIZER, index_option="position")
    builder.add_text_field("path", tokenizer_name=tokenize.TOKENIZER, index_option="position")
    builder.add_unsigned_field("facet", indexed=True)
    builder.add_unsigned_field("conversation", indexed=True, fast=True)
    builder.add_unsigned_field("seq", fast=True)
    builder.add_float_field("at", fast=True)
    builder.add_bytes_field(_MARK, stored=True)
    return builder.build()


@lru_cache(maxsize=4_096)
def facet(kind: str, name: str) -> int:
    """The term for `name` of a kind (role, agent, tool, workspace, instance): a number.

    A number is indexed as it is; a word would go through a tokeniser for every turn.
    """
    return int.from_bytes(text_hash(f"{kind}:{name}"))


class SearchIndex:
    """The index in one folder of the archive."""

    def __init__(self, folder: Path, archive_id: bytes) -> None:
        """Open the index in `folder`, made if it is not there or not of this archive id.

        Raises:
            OSError: the folder cannot be written.
        """
        self.folder = folder
        self.archive_id = archive_id
        self.schema = self.fields()
        self._index = self._open()
        if self.sequence < 0:
            self._index = self._anew()

    @staticmethod
    def fields() -> tantivy.Schema:
        """What is indexed."""
        return schema()

    @staticmethod
    def register(index: tantivy.Index) -> None:
        """Teach tantivy the tokeniser of the fields."""
        index.register_tokenizer(tokenize.TOKENIZER, tokenize.analyzer())

    def _open(self) -> tantivy.Index:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        try:
            index = tantivy.Index(self.schema, path=str(self.folder))
        except ValueError:  # another schema, or damaged: tantivy tells them apart by text alone
            return self._anew()
        self.register(index)
        return index

    def _anew(self) -> tantivy.Index:
        import shutil  # here, since every search loads this module

        try:
            shutil.rmtree(self.folder)
        except OSError:  # a merge of the index before wrote a file meanwhile: it does so once
            shutil.rmtree(self.folder)
        self.folder.mkdir(mode=0o700)
        index = tantivy.Index(self.schema, path=str(self.folder))
        self.register(index)
        return index

    @property
    def sequence(self) -> int:
        """How far the index got: a sequence of the log; 0 if empty, -1 if it is another's."""
        searcher = self.searcher()
        hits = searcher.search(self.marks(), 1, count=False).hits
        if not hits:
            return -1 if searcher.num_docs else 0
        try:
            stored = searcher.doc(hits[0][1]).get_first(_MARK)
            mark = msgspec.msgpack.decode(bytes(stored or b""), type=Mark)
        except (msgspec.MsgspecError, TypeError):
            return -1
        ours = (mark.version, mark.archive_id) == (VERSION, self.archive_id)
        return mark.sequence if ours else -1

    def searcher(self) -> tantivy.Searcher:
        """A view of the last commit, whichever process made it."""
        self._index.reload()
        return self._index.searcher()

    def writer(self, heap: int) -> "IndexWriter | None":
        """The writer's place, or None while another process or thread has it.

        With a large `heap` it calls `keep_little`, for the whole process: each commit starts a new
        thread, and glibc would keep what each of them freed.
        """
        if heap > SMALL_HEAP:
            from dejavu.config.malloc import keep_little  # of no use to a search

            keep_little()
        try:
            return IndexWriter(self, self._index.writer(heap, 1))
        except ValueError:  # LockBusy comes as a ValueError
            return None

    def marks(self) -> tantivy.Query:
        """The query for the watermark's document."""
        return tantivy.Query.term_query(self.schema, "facet", facet(_MARK, ""))


def _blank(number: int, conversation: Conversation, role: Role) -> tantivy.Document:
    """What the documents of a conversation's turns of one role have in common."""
    document = tantivy.Document()
    for kind in ("agent", "workspace", "instance"):
        document.add_unsigned("facet", facet(kind, getattr(conversation, kind)))
    document.add_unsigned("facet", facet("role", role))
    document.add_unsigned("conversation", number)
    return document


def _batches(
    turns: Iterable[Turn],
) -> Iterator[tuple[list[tuple[Turn, tokenize.SearchableText]], list[str]]]:
    """Turns that say anything with what is searched in them, and all their texts and paths."""
    batch: list[tuple[Turn, tokenize.SearchableText]] = []
    texts: list[str] = []
    for turn in turns:
        searchable = tokenize.searchable_text(turn)
        if not searchable.text or searchable.text.isspace():
            continue
        for piece in tokenize.documents_of(searchable.text):
            batch.append((turn, searchable))
            texts += (piece, *searchable.paths)
        if len(batch) >= _BATCH:
            yield batch, texts
            batch, texts = [], []
    yield batch, texts


class IndexWriter:
    """Changes on their way into the index; nothing is seen before `commit`."""

    def __init__(self, index: SearchIndex, writer: tantivy.IndexWriter) -> None:
        """Use `SearchIndex.writer`."""
        self._index = index
        self._writer = writer

    def add(self, number: int, conversation: Conversation, turns: Iterable[Turn]) -> None:
        """Add a document for each of the turns that says anything."""
        blanks = {role: _blank(number, conversation, role) for role in Role}
        moments = (conversation.ended_at, conversation.started_at)
        otherwise = next((at for at in moments if at is not None), 0.0)  # 0: unknown
        for batch, texts_to_split in _batches(turns):
            texts = iter(tokenize.split_all_identifiers(texts_to_split))
            for turn, searchable in batch:
                document = copy(blanks[turn.role])  # a third of what adding each field costs
                document.add_text("text", next(texts))
                for name in searchable.tools:
                    document.add_unsigned("facet", facet("tool", name.lower()))
                document.add_unsigned("seq", turn.seq)
                document.add_float("at", otherwise if turn.at is None else turn.at)
                for _ in searchable.paths:
                    document.add_text("path", next(texts))
                self._writer.add_document(document)

    def add_document(self, document: tantivy.Document) -> None:
        """Add a document as it is."""
        self._writer.add_document(document)

    def remove(self, number: int, start: int = 0) -> None:
        """Take out the documents of a conversation's turns from `start` on."""
        query = tantivy.Query.term_query(self._index.schema, "conversation", number)
        if start:
            later = tantivy.Query.range_query(
                self._index.schema, "seq", tantivy.FieldType.Unsigned, start, None
            )
            query = query.and_must_match(later)
        self._writer.delete_documents_by_query(query)

    def commit(self, sequence: int) -> None:
        """Everything so far is seen from now on, and the watermark is `sequence`."""
        self._writer.delete_documents_by_query(self._index.marks())
        mark = tantivy.Document()
        mark.add_unsigned("facet", facet(_MARK, ""))
        mark.add_bytes(
            _MARK, msgspec.msgpack.encode(Mark(VERSION, self._index.archive_id, sequence))
        )
        self._writer.add_document(mark)
        self._writer.commit()
        for path in self._index.folder.iterdir():
            with suppress(FileNotFoundError):  # merged away meanwhile
                if path.is_file():
                    path.chmod(0o600)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let merges end, so that small commits do not pile up, and free the place."""
        if error is None:
            self._writer.wait_merging_threads()
