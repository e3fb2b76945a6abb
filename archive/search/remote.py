"""Search by the server, where this machine has no index or one that lacks too much.

Making an index from nothing reads the whole archive over the network; one statement asks the server
for the newest turns that hold all the words, then any of them. Nearly the same words answer as in the index;
how rare a word is does not count. Without an own index nothing else is asked. With one, the turns and
bytes that it lacks decide. Costs one round trip, O(matches) there, O(hits) here. Exact text is looked
for there, too, where this machine has no index of it: by trigrams (pg_trgm) or, without, in every text.

Tested in: tests/extensions/teams/test_postgres_far.py
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from dejavu.model import ConversationFilter, Role
from dejavu.model.json_values import strings_in

from .. import log
from ..backends.backend import Backend
from .corrections import full_workspace, impossible_filters
from .direct import changed_turns
from .query import Query, Word, tokens
from .snippet import Hit, SearchResult, excerpt
from .substring import Runs

MOST_TURNS = 256
"""Turns that the index may lack and still be brought up before a search."""
_MOST_CHANGES = 256
_MOST_BYTES = 1 << 20  # of what is to be fetched for that, raw not counted
_WIDER = 4  # candidates for each hit
_SAMPLE = 48  # turns in which the words meant are looked for
_CANDIDATES = 2_000  # at least, of an exact search
_SHAPE = re.compile("[a-z0-9 ]+")  # as the server takes it
_LONG_CHARACTERS = 4 << 20  # of texts that the server does not keep whole, to be fetched


class FoundTurn(NamedTuple):
    """A turn that answers, with the text of its part that does, and what its tools were given (JSON)."""

    conversation: str
    seq: int
    role: str
    at: float | None
    agent: str
    content: str | None
    calls: list[str | None] | None = None


class TextQuestion(msgspec.Struct, frozen=True):
    """A question in the server's own syntax. None everywhere: every turn answers.

    `index` is what its index tells alone; `exact`, where phrases are asked for, the whole of it. `shapes` are
    words in a row, of which a text that answers holds all (`every`) or one. `type`: only of such parts.
    """

    index: str | None = None
    exact: str | None = None
    shapes: tuple[str, ...] = ()
    every: bool = True
    type: str | None = None


class ServerTerm(NamedTuple):
    """A word of a question: how the server's index has it, letters that show it in a text, what it counts."""

    query: str
    piece: str
    weight: float


class Candidate(NamedTuple):
    """A turn that may hold a text; `rest`: of how many characters one is that is not kept whole."""

    conversation: int
    seq: int
    rest: int


@runtime_checkable
class TextSearch(Protocol):
    """A backend that has its own search."""

    def find_text(
        self,
        questions: Sequence[TextQuestion],
        wanted: ConversationFilter,
        most: int,
        *,
        shown: Sequence[str] = (),
        paths: str | None = None,
        numbers: Sequence[int] | None = None,
    ) -> list[FoundTurn] | None:
        """The newest turns that answer, at most `most`. None: the server cannot tell.

        `questions`: the best first, each asked where those before found too little. shown: words that are to be
        seen of a long text. paths: what a tool was given. numbers: the conversations to look in.
        """
        ...

    def find_exact(
        self, patterns: tuple[str, str], wanted: ConversationFilter, most: int
    ) -> list[Candidate] | None:
        """The turns that may hold a text, the newest month's first, at most `most`.

        `patterns` of LIKE: the text as it is, and as it is written in JSON. None: the server cannot tell.
        """
        ...

    def bytes_of(self, turns: Sequence[tuple[int, int, int]]) -> int:
        """How much is to be fetched for turns (conversation number, start, stop)."""
        ...

    def find_exchanges(
        self,
        terms: Sequence[ServerTerm],
        places: Sequence[str] | None,
        project: str | None,
        most: int,
        near: tuple[str, Sequence[float]] | None = None,
    ) -> str:
        """The exchanges that hold most of a question, as the JSON of `dejavu_recall`; only where it `answers`.

        `places`: the first of them that has history, with the others of its project; None: everywhere.
        near: a model and the question's vector by it, to find also what is near in meaning.
        """
        ...

    def has_project(self, name: str) -> bool:
        """Whether there is history of a project; only where it `answers`."""
        ...


def search(
    backend: Backend, query: Query, limit: int, mark: Callable[[], int | None]
) -> SearchResult | None:
    """What the server finds; None where this machine shall look itself.

    `mark` says how far along the log this machine's index is; None: it has none.
    """
    if not isinstance(backend, TextSearch):
        return None
    try:
        reached = mark()
    except (ValueError, OSError):  # tantivy says everything by ValueError; a full disk
        reached = 0
    notes = [*query.notes, *full_workspace(backend, query)]
    if reached is not None:
        missing = backend.read(log.last_sequence) - max(0, reached)
        if missing <= 0 or _is_little(backend, max(0, reached), missing):
            return None
        notes.append(
            f"searched by the server: this machine's index lacks {missing} changes; "
            "`dejavu sync` brings it up"
        )
    paths = " & ".join(f"({_term(Word(path))})" for path in query.paths)

    def ask(
        questions: Sequence[TextQuestion], most: int = limit * _WIDER
    ) -> list[FoundTurn] | None:
        return backend.find_text(
            questions, query.wanted, most, shown=query.marked, paths=paths or None,
            numbers=None if query.numbers is None else sorted(query.numbers),
        )  # fmt: skip

    questions = _questions(query.words)
    if query.paths and not query.words:  # what tools were given leads to the turns
        given = [Word(path, phrase=True) for path in query.paths]
        questions = [msgspec.structs.replace(_question(given, [], every=True), type="tool_call")]
    found = ask(questions)
    if found is None:
        return None
    hits = _hits(found, query)
    if backend.answers and len(hits) < limit and query.words:
        from .server_spelling import respelled  # of use to what is hardly found

        query, told = respelled(
            query, _texts(found), lambda words: _texts(ask([TextQuestion(words)], _SAMPLE))
        )
        hits = _hits(ask(_questions(query.words)) or [], query) if told else hits
        notes += told
    if not hits:
        notes += impossible_filters(backend, query)
    return SearchResult(hits[:limit], notes=notes, visible=backend.answers)


def _texts(found: Sequence[FoundTurn] | None) -> list[str]:
    return [turn.content or "" for turn in found or ()]


def _hits(found: Sequence[FoundTurn], query: Query) -> list[Hit]:
    """The hits of turns that the server found: those with most of the words first, then the newest.

    A word counts more the fewer of them hold it.
    """
    hits: dict[tuple[str, int], Hit] = {}
    prefixes = [word.tokens[-1] for word in query.words if word.prefix and not word.negative]
    wanted = {token for word in query.words if not word.negative for token in word.tokens}
    lowered = [(turn.content or "").casefold() for turn in found]
    rarity = {
        token: math.log(1 + len(found) / max(1, sum(token in text for text in lowered)))
        for token in wanted
    }
    whole = sum(rarity.values()) or 1.0
    for turn, text in zip(found, lowered, strict=True):
        if query.paths and not _touches(turn.calls or (), query.paths):
            continue
        shown = excerpt(turn.content or "", query.marked, prefixes)
        score = sum(weight for token, weight in rarity.items() if token in text) / whole
        hit = Hit(
            turn.conversation, turn.seq, Role(turn.role), score, shown.text, turn.at, turn.agent,
            shown.marks,
        )  # fmt: skip
        known = hits.get((hit.conversation, hit.seq))
        if known is None or known.score < score:
            hits[hit.conversation, hit.seq] = hit
    return sorted(hits.values(), key=lambda hit: (-hit.score, -(hit.at or 0.0)))


def _touches(calls: Sequence[str | None], paths: Sequence[tuple[str, ...]]) -> bool:
    """Whether one string that a tool was given holds each of the paths."""
    given: list[tuple[str, ...]] = []
    for call in calls:
        try:
            given += [tokens(leaf) for leaf in strings_in(json.loads(call or "null"))]
        except ValueError:  # only the beginning is kept there
            return True
    return all(
        any(
            path == leaf[at : at + len(path)]
            for leaf in given
            for at in range(len(leaf) - len(path) + 1)
        )
        for path in paths
    )


class ExactCandidates(NamedTuple):
    """Turns that may hold a text; `complete`: there are no others; `notes` for the user."""

    runs: Runs
    complete: bool
    notes: list[str]


def exact(
    backend: Backend, text: str, wanted: ConversationFilter, limit: int, *, thorough: bool
) -> ExactCandidates | None:
    """Where the server says that `text` may stand; None where it is not asked.

    The caller reads these turns and looks itself. The server keeps the first 65,536 characters of a
    part: what is longer is among these turns as long as that is little to fetch, and else counted in a
    sentence. `thorough`: thousands, where the fewest that can be enough were not.
    """
    if not isinstance(backend, TextSearch) or not _can_be_kept(text):
        return None
    if wanted.tool is not None:
        wanted = wanted.replace(tool=wanted.tool.lower())
    patterns = (_like(text), _like(json.dumps(text, ensure_ascii=False)[1:-1]))
    most = max(_CANDIDATES, _WIDER * limit) if thorough else 2 * limit
    found = backend.find_exact(patterns, wanted, most)
    if found is None:
        return None
    runs: dict[int, list[tuple[int, int | None]]] = {}
    room, unread = _LONG_CHARACTERS, 0
    for candidate in found:
        room -= candidate.rest
        if candidate.rest and room < 0:
            unread += 1
            continue
        runs.setdefault(candidate.conversation, []).append((candidate.seq, candidate.seq + 1))
    notes = ["looked for by the server; `dejavu sync` makes this machine's own index"]
    if unread:
        notes.append(f"of {unread} long turns only the first 65,536 characters were looked at")
    if thorough and len(found) >= most:
        notes.append(f"no more than {most} turns that may hold it were looked at, the newest")
    return ExactCandidates(runs, len(found) < most, notes)


def _can_be_kept(text: str) -> bool:
    """Whether the server can hold `text` as it is: no NUL, nothing that is no UTF-8."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _like(text: str) -> str:
    """The pattern of what holds `text`."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"


def _is_little(backend: Backend, reached: int, missing: int) -> bool:
    """Whether the index can be brought up in a moment. Two round trips, none where it is much."""
    if missing > _MOST_CHANGES or not isinstance(backend, TextSearch):
        return False
    changed = changed_turns(backend, reached)
    if sum(stop - start for start, stop in changed.values()) > MOST_TURNS:
        return False
    spans = [(number, start, stop) for number, (start, stop) in changed.items()]
    return not spans or backend.bytes_of(spans) <= _MOST_BYTES


def _questions(words: list[Word]) -> list[TextQuestion]:
    """All the words, then any of them."""
    positive = [word for word in words if not word.negative]
    negative = [word for word in words if word.negative]
    if not positive and not negative:
        return [TextQuestion()]
    questions = [_question(positive, negative, every=True)]
    # Of an identifier each word counts, and more where they stand together.
    single = [Word((t,)) for w in positive if not w.phrase and not w.prefix for t in w.tokens]
    some = [word for word in positive if word.phrase or word.prefix] + single
    if len(some) > 1:
        questions.append(_question(some, negative, every=False))
    return questions


def _question(positive: list[Word], negative: list[Word], *, every: bool) -> TextQuestion:
    joint = " & " if every else " | "
    plain = [f"!({_term(word)})" for word in negative if len(word.tokens) == 1]
    whole = [f"!({_term(word)})" for word in negative]
    together = joint.join(f"({_term(word, ' & ')})" for word in positive)
    index = " & ".join([f"({together})"] * bool(positive) + plain) or None
    if all(len(word.tokens) == 1 for word in (*positive, *negative)):
        return TextQuestion(index=index, every=every)
    told = joint.join(f"({_term(word)})" for word in positive)
    exact = " & ".join([f"({told})"] * bool(positive) + whole)
    shapes = [" ".join(word.tokens) for word in positive if not every or len(word.tokens) > 1]
    if not every and not all(_SHAPE.fullmatch(shape) for shape in shapes):
        shapes = []
    return TextQuestion(index, exact, tuple(filter(_SHAPE.fullmatch, shapes)), every)


def _term(word: Word, joint: str = " <-> ") -> str:
    quoted = ["'" + t.replace("\\", "\\\\").replace("'", "''") + "'" for t in word.tokens]
    if word.prefix:
        quoted[-1] += ":*"
    return joint.join(quoted)
