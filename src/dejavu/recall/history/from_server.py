"""Recall by the server, for a machine that keeps no index of a team's archive.

One statement gives the exchanges that hold most of a question, with enough of their turns to judge them, and
how rare its words are in the whole archive. They become a small index in memory, which the search goes
through as through one on disk. So order, certainty and excerpts are made by the same code. Words lead to an
exchange there, and meaning where the server compares vectors. Rationales are not looked at.

Must not read the archive besides. Costs one round trip, and some 20 ms here.
Tested in: tests/extensions/teams/test_server_recall.py
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import combining, normalize

import msgspec
import tantivy

from dejavu.archive import Archive
from dejavu.archive.search.remote import ServerTerm, TextSearch
from dejavu.model import Conversation, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn

from ..command import PROMPT_MARKER
from ..terms import STEMS, index_analyzer
from .code_graph import CodeGraph
from .documents import (
    ANSWER,
    Document,
    ExchangeStart,
    Meaning,
    passages,
    prompt_number,
    to_document,
)
from .hit_loader import LoadedTurn, TurnCache
from .index import ExchangeIndex
from .query import Query
from .retrievers.base import Retriever, SearchContext
from .retrievers.embedding import Embedding

if TYPE_CHECKING:  # of use only where the server compares meanings
    from .vector_server import AskedVector

MOST = 32
"""Exchanges that are asked for."""
_TERMS = 24  # words of a question that are looked for, those that count most
_WHOLE = 4  # letters from which on a stem leads to the words that begin so
_ENDINGS = ("", "s", "e", "es", "ed", "d", "ing", "y")
_HASHED = re.compile("p[0-9a-f]{16}")  # a path as one word (`terms.without_folders`): only here
_HEAP = 15_000_000  # bytes; tantivy takes no less


class _FoundPart(msgspec.Struct):
    type: str
    name: str = ""
    call: str | None = None
    content: str = ""


class _FoundTurn(msgspec.Struct):
    number: int
    start: int
    seq: int
    role: Role
    id: str
    agent: str
    workspace: str
    at: float | None = None
    ended: float | None = None
    prompt: str = ""
    parts: list[_FoundPart] = []


class _FoundVector(msgspec.Struct):
    number: int
    seq: int
    stop: int
    near: bool
    meaning: str


class _Found(msgspec.Struct):
    size: float = 0.0
    counts: list[float] = []
    turns: list[_FoundTurn] = []
    passages: list[_FoundVector] = []
    common: float | None = None


class FoundExchanges(NamedTuple):
    """What the server found: an index of it, its turns, and in how many of `size` passages a stem occurs.

    meaning: what vectors say, where the server compared them.
    """

    exchanges: ExchangeIndex
    turns: TurnCache
    counts: Mapping[str, int]
    size: int
    meaning: Meaning | None = None


class _OnlyThese(dict[tuple[int, int], LoadedTurn | None]):
    """The turns that were found; no others are looked for."""

    def __contains__(self, place: object) -> bool:
        return True


class _FoundTurns(TurnCache):
    """The turns that the server gave."""

    explained = False

    def __init__(self) -> None:
        super().__init__()
        self.turns = _OnlyThese()

    def follow(self, archive: Archive, start: int) -> None:
        """Nothing changes between the question and its answer."""


class _FoundIndex(ExchangeIndex):
    """An index in memory."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive)
        self._index = self._memory = tantivy.Index(self.schema)
        self._memory.register_tokenizer(STEMS, index_analyzer())

    def fill(self, documents: Iterator[tantivy.Document]) -> None:
        """Hold these documents."""
        writer = self._memory.writer(_HEAP, 1)
        for document in documents:
            writer.add_document(document)
        writer.commit()


def find(
    archive: Archive,
    query: Query,
    workspace: str | None,
    project: str | None,
    vector: "AskedVector | None" = None,
) -> FoundExchanges | None:
    """What the server finds for a question, also by its vector; None where it cannot be asked."""
    backend = archive.backend
    terms = {stem: term for stem, weight in query.weights.items() if (term := _term(stem, weight))}
    terms = dict(sorted(terms.items(), key=lambda pair: -pair[1].weight)[:_TERMS])
    if not (terms or vector) or not isinstance(backend, TextSearch) or not backend.answers:
        return None
    places = None
    if workspace is not None:
        places = [workspace, *map(str, PurePath(workspace).parents)]
    near = None if vector is None else (vector.model, vector.vector.tolist())
    answer = backend.find_exchanges(list(terms.values()), places, project or None, MOST, near)
    found = msgspec.json.decode(answer, type=_Found)
    index, cache, spans = _FoundIndex(archive), _FoundTurns(), dict[int, list[Document]]()
    index.fill(_documents(found.turns, cache, spans))
    meaning = _meaning(found, vector.vector, spans) if vector and found.passages else None
    counts = {stem: int(count) for stem, count in zip(terms, found.counts, strict=False)}
    return FoundExchanges(index, cache, counts, max(1, int(found.size)), meaning)


def ask(
    archive: Archive,
    query: Query,
    workspace: str | None,
    project: str,
    retrievers: Sequence[Retriever],
    graph: CodeGraph,
    *,
    tools: bool,
) -> tuple[SearchContext, TurnCache] | None:
    """What a question is asked of, and the turns; None where the server cannot be asked.

    retrievers: where one compares vectors, the server is given the question's.
    """
    vector = None
    for own in retrievers:
        if isinstance(own, Embedding):
            from .embeddings import asked_vector

            vector = asked_vector(archive, query.text, own.model)
    found = find(archive, query, workspace, project, vector)
    searcher = None if found is None else found.exchanges.searcher()
    if found is None or searcher is None:
        return None
    context = SearchContext(
        archive, found.exchanges, searcher, None, "", tools, graph, known=found.counts,
        known_size=found.size, told=found.meaning,
    )  # fmt: skip
    return context, found.turns


def known_project(archive: Archive, project: str) -> str:
    """The project that there is history of, of a project and those it is in; empty for none."""
    backend = archive.backend
    while project and not (isinstance(backend, TextSearch) and backend.has_project(project)):
        project = project.rpartition("/")[0]
    return project


def _term(stem: str, weight: float) -> ServerTerm | None:
    """A stem as the server looks for it: words that begin so; of a short one its usual forms."""
    folded = "".join(c for c in normalize("NFKD", stem) if not combining(c))
    if not folded.isalnum() or _HASHED.fullmatch(folded):
        return None
    if len(folded) < _WHOLE:
        return ServerTerm(" | ".join(f"'{folded}{ending}'" for ending in _ENDINGS), folded, weight)
    piece = folded.removesuffix("i")  # queri: query, queries
    return ServerTerm(f"'{piece}':*", piece, weight)


def _meaning(found: _Found, vector: Any, spans: Mapping[int, Sequence[Document]]) -> Meaning:
    """What the vectors of the passages say that the server told of."""
    from .vector_store import guess, margin

    np: Any = import_module("numpy")
    rows = [
        np.frombuffer(base64.b64decode(passage.meaning), ">f2", offset=4).astype(np.float32)
        for passage in found.passages
    ]
    cosines = [float(row @ vector) for row in rows]
    common = found.common
    if common is None:
        near = [c for c, passage in zip(cosines, found.passages, strict=True) if passage.near]
        common = guess(np.array(sorted(near)[:-1]))
    vectors: dict[tuple[int, int], Any] = {}
    said = Meaning([], {}, vectors)
    for passage, row, cosine in zip(found.passages, rows, cosines, strict=True):
        document = next(
            (one for one in reversed(spans.get(passage.number, ())) if one.seq <= passage.seq), None
        )
        if document is None:  # of a program's own prompt
            continue
        place, above = (document.conversation, document.ordinal), margin(cosine, common)
        vectors.setdefault(place, row)
        said.margins[place] = max(above, said.margins.get(place, -1.0))
        if passage.near:
            said.nearest.append(document._replace(score=above))
    said.nearest.sort(key=lambda one: -one.score)
    return said


def _documents(
    turns: Sequence[_FoundTurn], cache: TurnCache, spans: dict[int, list[Document]]
) -> Iterator[tantivy.Document]:
    """The passages of the turns, which come by conversation and in order.

    `cache` gets the turns, `spans` what passages there are of each conversation.
    """
    for run, ordinal in _runs(turns):
        head = run[0]
        summary = Conversation(
            id=head.id,
            agent=head.agent,
            native_id="",
            workspace=head.workspace,
            ended_at=head.ended,
        )
        made: list[Turn] = []
        for one in run:
            made.append(Turn(seq=one.seq, role=one.role, at=one.at, parts=tuple(_parts(one.parts))))
            cache.turns[one.number, one.seq] = LoadedTurn(made[-1])
        cache.ids[head.number] = head.id
        cache.summaries[head.id] = head.agent, head.workspace
        for passage in passages(made, ExchangeStart(ordinal)):
            prompt = prompt_number(passage.prompt) if passage.seq == passage.exchange else 0
            spans.setdefault(head.number, []).append(
                Document(
                    head.number, passage.ordinal, passage.exchange, passage.seq, passage.stop, 0.0,
                    passage.at or head.ended or 0.0, min(ANSWER, passage.answer), prompt,
                )
            )  # fmt: skip
            yield to_document(passage, head.number, summary)


def _runs(turns: Sequence[_FoundTurn]) -> Iterator[tuple[list[_FoundTurn], int]]:
    """Exchanges that follow each other, and how many of their conversation come before them, or more."""
    run: list[_FoundTurn] = []
    ordinal = 0
    for turn in turns:
        if turn.prompt.startswith(PROMPT_MARKER):
            continue
        last = run[-1] if run else None
        if last is not None and (
            turn.number != last.number or (turn.start != last.start and turn.seq != last.seq + 1)
        ):
            yield run, ordinal
            ordinal = ordinal + 2 * len(run) if turn.number == last.number else 0
            run = []
        run.append(turn)
    if run:
        yield run, ordinal


def _parts(parts: Sequence[_FoundPart]) -> Iterator[Part]:
    for part in parts:
        match part.type:
            case "text":
                yield Text(part.content)
            case "reasoning":
                yield Reasoning(part.content)
            case "tool_call":
                yield ToolCall(part.call, part.name, _arguments(part.content))
            case "tool_call_response":
                yield ToolCallResponse(part.call, part.content)
            case _:
                pass


def _arguments(text: str) -> Any:
    """What a tool was given; its text where that was cut."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text
