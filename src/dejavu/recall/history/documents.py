"""A passage as a document of the search index: its fields, and how they are filled and read back.

O(text).

Tested in: tests/recall/history/test_index.py
"""

from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import tantivy

from dejavu.model import Conversation

from ..terms import STEMS, normalise, seams
from .entities import without_folders
from .passages import Passage

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


def touched_facet(path: str) -> str:
    """The facet of the exchanges whose tools touched a file of that name, in whatever folder."""
    return f"touched:{path.lower().rstrip('/').rsplit('/', 1)[-1]}"


def prompt_number(prompt: str) -> int:
    """The number that all exchanges with the same prompt have, whatever its case and signs."""
    return int(token(normalise(prompt[:_PROMPT])), 16)


def to_document(passage: Passage, number: int, summary: Conversation) -> tantivy.Document:
    """A passage of conversation `number`."""
    document = tantivy.Document()
    tools = "\n".join(passage.tools)
    document.add_text("text", seams(without_folders(passage.text)))
    if passage.before:
        document.add_text("before", seams(without_folders(passage.before)))
    if tools:
        document.add_text("tools", seams(tools))
    facets = [f"workspace:{summary.workspace}", f"agent:{summary.agent}", f"id:{summary.id}"]
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
