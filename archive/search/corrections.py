"""What a query probably means: workspaces by their end, words as they were meant, filters none can pass.

The names in a query are held against those in the archive: `in:api` is `/srv/work/api`. Of a word in
no turn (`retyr*`: of a beginning of none, as a query has it while it is typed) the words that begin
so are looked for, then those at a small distance (insertions, deletions, substitutions, swapped
neighbours): one for up to seven letters, two beyond. Short words, and any with a digit (ids, hashes,
versions), are never taken for mistyped ones.

Costs, where a query names a workspace by its end or found nothing, O(conversations); for a word that
no turn holds one fuzzy search and the texts of `_SAMPLE` turns.

Tested in: tests/archive/search/test_engine.py
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace
from tantivy import Query as Tantivy
from tantivy import Schema, Searcher

from dejavu.model import Conversation, Role
from dejavu.model.conversation_filter import is_project
from dejavu.model.edit_distance import distance

from ..backends.backend import Backend
from ..backends.transaction import Reader
from ..conversations import summary_of
from ..counts import Counting
from ..marks import tag_counts
from ..records import SummaryRecord, unpack
from .index import Place
from .query import Query, Word

_NAMED = 3  # workspaces that a sentence names


def full_workspace(backend: Backend, query: Query) -> list[str]:
    """Put a workspace's whole path in the place of its end; a sentence where none or several fit."""
    wanted = query.wanted.workspace
    if wanted is None or wanted.startswith("/"):
        return []
    names = _workspaces(backend)
    if wanted in names:
        return []
    ends = sorted(name for name in names if name.endswith("/" + wanted.strip("/")))
    if len(ends) == 1:
        query.wanted = query.wanted.replace(workspace=ends[0])
        return []
    if not ends:
        return [f"in:{wanted} is not a folder with conversations"]
    longer = ["in:" + "/".join(end.split("/")[-2 - wanted.strip("/").count("/") :]) for end in ends]
    more = f" and {len(ends) - _NAMED} more" if len(ends) > _NAMED else ""
    return [f"in:{wanted} fits several workspaces; say {' or '.join(longer[:_NAMED])}{more}"]


def missing_in_summaries(backend: Backend, query: Query) -> list[str]:
    """Sentences on a project or marks that no conversation has; for where none has all of them."""
    summaries = backend.read(_summaries)
    tags = tag_counts(summaries)
    notes = [
        f"no conversation has tag:{tag}{_near(tag, set(tags))}"
        for tag in sorted(query.wanted.tags - tags.keys())
    ]
    project = query.wanted.project
    if project is not None:
        names = {one.place for one in summaries if one.place}
        if not any(is_project(project, name) for name in names):
            ends = {name.rpartition("/")[2] for name in names}
            near = _closest(project, ends)
            hint = f"did you mean {near[0]}?" if near else "`dejavu stats --by project` lists them"
            return [f"project:{project} has no conversations; {hint}"]
    if query.wanted.starred and not any(one.starred for one in summaries):
        notes.append("no conversation is starred; `dejavu star ID` stars one")
    return notes or ["no conversation has all of this together"]


def impossible_filters(backend: Backend, query: Query) -> list[str]:
    """Sentences on filters of a query that nothing can pass; for where it found nothing.

    Roles and agents that no conversation has, and a time that ends before it begins.
    """
    notes: list[str] = []
    role, agent = query.wanted.role, query.wanted.agent
    if role is not None and role not in set(Role):
        notes.append(f"role:{role} is no role{_near(role, set(Role))}")
    if agent is not None and agent not in (known := _agents(backend)):
        notes.append(f"agent:{agent} has no conversations{_near(agent, known)}")
    if query.wanted.is_backwards:
        notes.append("nothing can match: since: (after:) is later than until: (before:)")
    return notes


def _near(word: str, choices: set[str]) -> str:
    near = _closest(word, choices)
    if near or not choices:
        return f"; did you mean {near[0]}?" if near else ""
    return f"; there are {', '.join(sorted(choices))}"


def _closest(word: str, choices: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # of use where nothing was found alone

    return get_close_matches(word, choices, n=1)


def _summaries(txn: Reader) -> list[Conversation]:
    values = (value for _, value in txn.items("summaries"))
    return [summary_of(unpack(value, SummaryRecord)) for value in values]


def _agents(backend: Backend) -> set[str]:
    """The agents that there are conversations of; a server names them without being read."""
    if isinstance(backend, Counting):
        return {name.lower() for name in backend.counts().by_agent}
    return {one.agent.lower() for one in backend.read(_summaries)}


def _workspaces(backend: Backend) -> set[str]:
    if isinstance(backend, Counting):
        return set(backend.counts().by_workspace)
    return {one.workspace for one in backend.read(_summaries)}


_SHORTEST = 4  # letters of a word that may be mistyped
_LONG = 8  # letters from which on a word may have two mistakes
_SAMPLE = 48  # turns in which the words meant are looked for

TokensAt = Callable[[list[Place]], Iterable[tuple[str, ...]]]
"""The tokens of the turns at some places of the index."""


def respelled(
    query: Query, searcher: Searcher, schema: Schema, tokens_at: TokensAt
) -> tuple[Query, list[str]]:
    """Return the query with the words that were meant, and a sentence for each that was replaced."""
    notes: list[str] = []
    words: list[Word] = []
    for word in query.words:
        if word.negative:
            words.append(word)
            continue
        changed = word
        for place, token in enumerate(word.tokens):
            if searcher.doc_freq("text", token):
                continue
            last = place == len(word.tokens) - 1
            if word.prefix and last and _begins(searcher, token):
                continue
            single = len(word.tokens) == 1 and not word.phrase
            if single and _may_be_begun(token) and _begins(searcher, token):
                changed = replace(word, prefix=True)
                notes.append(f"no turn has {token!r}: searched for words that start with it")
            elif not may_be_mistyped(token):
                continue
            elif (meant := _nearest(token, searcher, schema, tokens_at)) is not None:
                tokens = (*changed.tokens[:place], meant, *changed.tokens[place + 1 :])
                changed = replace(changed, tokens=tokens, prefix=changed.prefix and not last)
                notes.append(f"no turn has {token!r}: searched for {meant!r}")
        words.append(changed)
    return (query, notes) if not notes else (replace(query, words=words), notes)


def may_be_mistyped(token: str) -> bool:
    """Whether a word that is nowhere may be another one: a word of letters, and no short one."""
    return len(token) >= _SHORTEST and token.isalpha()


def most_mistakes(token: str) -> int:
    """How many letters of a mistyped word may be wrong."""
    return 1 if len(token) < _LONG else 2


def _may_be_begun(token: str) -> bool:
    return len(token) > 1 and token.isalpha()


def _begins(searcher: Searcher, token: str) -> bool:
    return bool(searcher.terms_with_prefix("text", token, limit=1))


def _nearest(token: str, searcher: Searcher, schema: Schema, tokens_at: TokensAt) -> str | None:
    """The word meant: the nearest, and of those the one in most turns."""
    most = most_mistakes(token)
    fuzzy = Tantivy.fuzzy_term_query(schema, "text", token, distance=most)
    hits = searcher.search(fuzzy, _SAMPLE, count=False).hits
    addresses = [address for _, address in hits]
    numbers = searcher.fast_field_values("conversation", addresses)
    seqs = searcher.fast_field_values("seq", addresses)
    places = [Place(int(n or 0), int(s or 0), 0.0) for n, s in zip(numbers, seqs, strict=True)]
    near: dict[str, int] = {}
    for tokens in tokens_at(places):
        for other in set(tokens) - near.keys():
            if abs(len(other) - len(token)) <= most and other.isalpha():
                apart = distance(token, other)
                if apart <= most:
                    near[other] = apart
    return min(near, key=lambda word: (near[word], -searcher.doc_freq("text", word)), default=None)
