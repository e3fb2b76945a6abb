"""Exchanges as passages, and a passage as a document of the search index.

An exchange is a prompt with everything up to the next one: what was answered, called and shown.
It is one passage, or several where it is long; each of those begins with its prompt, because the
later part of an answer seldom repeats what it answers. What was said and what tools did are kept
apart, so that a page of output does not drown a sentence. A document's fields are filled and read
back here, and so is the mark: how far the index got. Changes no index. Costs O(text).

Tested in: tests/recall/history/test_index.py
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import tantivy

from dejavu.model import Conversation, Role, ToolCall, Turn
from dejavu.model.blake2 import blake2b

from ..terms import STEMS, files, normalise, seams, without_folders
from .events import Event, Kind, events

VERSION = 7
"""Of what is indexed; another one is built again."""
SPOKEN = (Kind.PROMPT, Kind.TEXT, Kind.RATIONALE)
_LENGTH = 3_000  # characters of what was said in a passage
_TOOL_LENGTH = 8_000  # characters of what tools did in a passage
_PROMPT_START = 600  # characters of the prompt that every later passage begins with
_BEFORE = 300  # characters of the prompt before, and of its answer
_LONGEST = 60_000  # characters of one text that are looked at
_FILES = 8  # files of one call that are looked at


class ExchangeStart(NamedTuple):
    """Where an exchange begins: its number in the conversation, its first turn, its prompt.

    `before` is what the exchange before it was about: "and where do we store them?" needs that.
    `subject` is what this one is about, as far as it was read.
    """

    ordinal: int = 0
    seq: int = 0
    prompt: str = ""
    before: str = ""
    subject: str = ""


class Resume(NamedTuple):
    """The first turn to index again, and the exchange it is of."""

    seq: int
    exchange: ExchangeStart


class Passage(msgspec.Struct):
    """The turns `seq` to `stop` (inclusive) of the exchange that begins at turn `exchange`."""

    ordinal: int
    exchange: int
    seq: int
    stop: int
    at: float | None = None
    before: str = ""
    prompt: str = ""
    subject: str = ""
    answer: int = 0
    spoken: list[str] = msgspec.field(default_factory=list[str])
    tools: list[str] = msgspec.field(default_factory=list[str])
    files: set[str] = msgspec.field(default_factory=set[str])
    size: int = 0
    tool_size: int = 0

    @property
    def text(self) -> str:
        """What was said in it, its prompt first."""
        return "\n".join(self.spoken)


def begins_exchange(turn: Turn) -> bool:
    """Whether a turn is a prompt."""
    return turn.role is Role.USER and bool(turn.text.strip())


def passages(
    turns: Iterable[Turn], start: ExchangeStart, rationales: Mapping[int, Event] | None = None
) -> Iterator[Passage]:
    """Yield the passages of turns in order.

    start: the exchange that turns before the first prompt of `turns` belong to.
    rationales: by turn, why it was done; part of what was said.
    """
    current: Passage | None = None
    subject = start.subject or ("" if start.prompt else start.before)
    for turn in turns:
        prompts = begins_exchange(turn)
        if prompts:
            start = ExchangeStart(start.ordinal + 1, turn.seq, turn.text, subject)
            subject = ""
        subject = subject or about(turn, start.prompt)
        pieces = _pieces(turn, (rationales or {}).get(turn.seq))
        if not pieces.spoken and not pieces.tools:
            continue
        full = current is not None and (
            current.size + pieces.size > _LENGTH
            or current.tool_size + pieces.tool_size > _TOOL_LENGTH
        )
        if current is not None and (prompts or full or pieces.size > _LENGTH):
            yield current
            current = None
        if pieces.size > _LENGTH:  # separate passages: none shares a turn with another's
            for passage in _long(turn, start, pieces):
                passage.subject = subject
                yield passage
            continue
        if current is None:
            current = _begin(turn, start)
        _extend(current, turn, pieces)
    if current is not None:
        current.subject = subject
        yield current


def resume_at(last: Passage) -> Resume:
    """Where to begin again when turns follow those of the last passage of a conversation."""
    if not last.ordinal:  # before any prompt
        return Resume(last.seq, ExchangeStart(subject=last.subject))
    if last.seq == last.exchange:  # its prompt is met again, and counted again
        return Resume(last.seq, ExchangeStart(last.ordinal - 1, before=last.before))
    prompt = last.prompt[:_PROMPT_START]
    start = ExchangeStart(last.ordinal, last.exchange, prompt, last.before, last.subject)
    return Resume(last.seq, start)


def indexed_text(event: Event) -> str:
    """What is searched of an event: all that was said, and the two ends of long output."""
    return event.text[:_LONGEST] if event.kind in SPOKEN else event.search


def about(turn: Turn, prompt: str) -> str:
    """What an exchange is about, by its prompt and its first answer; empty for other turns."""
    if turn.role is not Role.ASSISTANT or not turn.text.strip():
        return ""
    return f"{prompt[:_BEFORE]}\n{turn.text[:_BEFORE]}"


def _pieces(turn: Turn, rationale: Event | None) -> Passage:
    """What a turn says and does, as a separate passage without its prompt."""
    found = Passage(0, 0, turn.seq, turn.seq, turn.at)
    for event in (*events(turn), *((rationale,) if rationale else ())):
        text = indexed_text(event)
        if event.kind in SPOKEN:
            found.spoken.append(text)
            found.size += len(text)
            if event.kind is not Kind.PROMPT:
                found.answer = max(found.answer, len(text))
        else:
            found.tools.append(text)
            found.tool_size += len(text)
        if isinstance(event.part, ToolCall):
            found.files.update(files(event.part.arguments)[:_FILES])
    return found


def _begin(turn: Turn, start: ExchangeStart) -> Passage:
    """A passage that begins at `turn`; with the prompt, where that is not its own turn."""
    passage = Passage(
        start.ordinal, start.seq, turn.seq, turn.seq, turn.at, start.before, start.prompt
    )
    if start.prompt and turn.seq != start.seq:
        passage.spoken.append(start.prompt[:_PROMPT_START])
    return passage


def _extend(passage: Passage, turn: Turn, pieces: Passage) -> None:
    passage.stop = turn.seq
    passage.at = turn.at if turn.at is not None else passage.at
    passage.spoken += pieces.spoken
    passage.tools += pieces.tools
    passage.files |= pieces.files
    passage.size += pieces.size
    passage.tool_size += pieces.tool_size
    passage.answer = max(passage.answer, pieces.answer)


def _long(turn: Turn, start: ExchangeStart, pieces: Passage) -> Iterator[Passage]:
    """The passages of a turn that is too long for one: cut at a word, the tools in the first."""
    text, first = "\n".join(pieces.spoken), True
    while text:
        cut = len(text) if len(text) <= _LENGTH else text.rfind(" ", _LENGTH // 2, _LENGTH)
        cut = cut if cut > 0 else _LENGTH
        passage = _begin(turn, start)
        if not first and turn.seq == start.seq:
            passage.spoken.append(start.prompt[:_PROMPT_START])
        passage.spoken.append(text[:cut])
        if first:
            passage.tools, passage.files = pieces.tools, pieces.files
        passage.answer = pieces.answer
        yield passage
        text, first = text[cut:], False


MARK = "mark"
"""The field of the one document that says how far the index got."""
_PATHS = 32  # paths of a passage
_PROMPT = 400  # characters by which a prompt is known again
ANSWER = 400
"""Characters from which on an answer is no longer told by its length."""


class Document(NamedTuple):
    """A passage found: turns `seq` to `stop` of an exchange, how well it answers, when it was.

    `ordinal` numbers the exchanges of a conversation, `exchange` is the first turn of this one.
    `answer` is how many characters were answered, up to `ANSWER`; `prompt` the number that all
    exchanges with the same prompt have.
    """

    conversation: int
    ordinal: int
    exchange: int
    seq: int
    stop: int
    score: float
    at: float
    answer: int = 0
    prompt: int = 0


class Meaning(NamedTuple):
    """What vectors say: the nearest passages, and the margin of exchanges that were asked about.

    vectors: of the exchanges' first passages, where a server gave them.
    """

    nearest: list[Document]
    margins: dict[tuple[int, int], float]
    vectors: Mapping[tuple[int, int], Any] = {}


class Mark(msgspec.Struct, frozen=True):
    """How far the index got, and which entry of the log is there."""

    version: int
    sequence: int
    at: float
    rationales: int = 0


def schema() -> tantivy.Schema:
    """The fields of a document."""
    builder = tantivy.SchemaBuilder()
    for name in ("text", "before", "tools"):
        builder.add_text_field(name, tokenizer_name=STEMS, index_option="freq")
    builder.add_text_field("facet", tokenizer_name="whitespace", index_option="basic")
    builder.add_unsigned_field("conversation", indexed=True, fast=True)
    builder.add_unsigned_field("ordinal", indexed=True, fast=True)
    builder.add_unsigned_field("exchange", fast=True)
    builder.add_unsigned_field("seq", fast=True)
    builder.add_unsigned_field("stop", indexed=True, fast=True)
    builder.add_unsigned_field("answer", fast=True)
    builder.add_unsigned_field("prompt", indexed=True, fast=True)
    builder.add_float_field("at", fast=True)
    builder.add_bytes_field(MARK, stored=True)
    return builder.build()


@lru_cache(maxsize=32_768)
def token(text: str) -> str:
    """A term for `text` as a whole, whatever is in it."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def project_facet(project: str) -> str:
    """The facet of the exchanges of a project, in whichever of its folders."""
    return f"project:{project}"


def touched_facet(path: str) -> str:
    """The facet of the exchanges whose tools touched a file of that name, in whatever folder."""
    return f"touched:{path.lower().rstrip('/').rsplit('/', 1)[-1]}"


def prompt_number(prompt: str) -> int:
    """The number that all exchanges with the same prompt have, whatever its case and signs."""
    return int(token(normalise(prompt[:_PROMPT])), 16)


def to_document(passage: Passage, number: int, summary: Conversation) -> tantivy.Document:
    """A passage of conversation `number`."""
    document = tantivy.Document()
    for text in passage.spoken:
        document.add_text("text", seams(without_folders(text)))
    if passage.before:
        document.add_text("before", seams(without_folders(passage.before)))
    for text in passage.tools:
        document.add_text("tools", seams(text))
    facets = [f"workspace:{summary.workspace}", f"agent:{summary.agent}", f"id:{summary.id}"]
    if summary.project:
        facets.append(project_facet(summary.project))
    facets += {touched_facet(path) for path in sorted(passage.files)[:_PATHS]}
    document.add_text("facet", " ".join(token(facet) for facet in facets))
    if passage.seq == passage.exchange and passage.prompt:
        document.add_unsigned("prompt", prompt_number(passage.prompt))
    document.add_unsigned("answer", min(ANSWER, passage.answer))
    for name, value in (
        ("conversation", number), ("ordinal", passage.ordinal), ("exchange", passage.exchange),
        ("seq", passage.seq), ("stop", passage.stop),
    ):  # fmt: skip
        document.add_unsigned(name, value)
    moments = (passage.at, summary.ended_at, summary.started_at)
    document.add_float("at", next((moment for moment in moments if moment is not None), 0.0))
    return document


def read_documents(
    searcher: tantivy.Searcher, hits: Sequence[tuple[float, tantivy.DocAddress]]
) -> list[Document]:
    """The documents of hits, in their order."""
    addresses = [address for _, address in hits]
    names = ("conversation", "ordinal", "exchange", "seq", "stop", "at", "answer", "prompt")
    columns = [searcher.fast_field_values(name, addresses) for name in names]
    return [
        Document(
            int(conversation or 0), int(ordinal or 0), int(exchange or 0), int(seq or 0),
            int(stop or 0), score, float(at or 0.0), int(answer or 0), int(prompt or 0),
        )
        for (score, _), conversation, ordinal, exchange, seq, stop, at, answer, prompt in zip(
            hits, *columns, strict=True
        )
    ]  # fmt: skip


def mark_document(at: Mark) -> tantivy.Document:
    """The one document that holds a mark."""
    mark = tantivy.Document()
    mark.add_text("facet", MARK)
    mark.add_bytes(MARK, msgspec.msgpack.encode(at))
    return mark


def mark_of(searcher: tantivy.Searcher, schema: tantivy.Schema) -> Mark | None:
    """How far an index got; None where it does not say so, or is of another version."""
    hits = searcher.search(tantivy.Query.term_query(schema, "facet", MARK), 1, count=False).hits
    if not hits:
        return None
    stored = searcher.doc(hits[0][1]).get_first(MARK)
    try:
        mark = msgspec.msgpack.decode(bytes(stored or b""), type=Mark)
    except (msgspec.MsgspecError, TypeError):
        return None
    return mark if mark.version == VERSION else None
