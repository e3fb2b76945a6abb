"""The answer to a query as people and agents get it: conversations, each with its best turns.

`dejavu search`, the browser, `--plain`, the page and MCP all ask here, so spelling, notes, ranking
and the number of turns of a conversation are the same. It must not draw, and must not ask in a way
for one of them alone. A conversation whose title, as a person gave it, has all the words comes first, by
the turn it began with. O(hits) after the search, and a look at each summary for titles; an archive that a
server searches is not looked through for these.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dejavu.archive import Archive, Hit, SearchResult
from dejavu.archive.search.query import Query, narrowed, parse, split_expression, tokens
from dejavu.model import Conversation, ConversationFilter, Role

MOST = 3
"""Turns that one conversation shows."""
DEPTH = 60
"""Turns that are looked at for an answer, unless more are to be shown."""


class FoundConversation(NamedTuple):
    """A conversation with its best turns, each text once; `more` counts its other hits."""

    summary: Conversation
    hits: tuple[Hit, ...]
    more: int


class SearchAnswer(NamedTuple):
    """Conversations, the one with the best hit first. `hits` are all of their turns by rank."""

    conversations: tuple[FoundConversation, ...]
    hits: SearchResult
    cut: bool
    """Whether there were more turns than were looked at or shown."""

    @property
    def shown(self) -> list[tuple[Conversation, Hit]]:
        """The turns that are shown, each with its conversation."""
        return [(one.summary, hit) for one in self.conversations for hit in one.hits]


NOTHING = SearchAnswer((), SearchResult(), cut=False)
_OPENING = 8  # turns among which the first prompt is
_ANY = ConversationFilter(side=False)


def search(
    archive: Archive,
    query: str,
    wanted: ConversationFilter = _ANY,
    *,
    shown: int = DEPTH,
    skip: int = 0,
    flat: bool = False,
    exact: bool = False,
) -> SearchAnswer:
    """Ask `query` and show conversations until they have `shown` turns.

    `skip`: leave out so many of the best turns. `flat`: for programs, exactly `shown` turns by rank,
    all of a conversation. `exact`: as of `Archive.search`.
    """
    depth = shown if flat else max(DEPTH, 3 * shown)
    found = archive.find(query, wanted, limit=skip + depth + 1, exact=exact)
    if titled := [] if exact else _titled(archive, query, wanted):
        places = {(hit.conversation, hit.seq) for hit in titled}
        rest = [hit for hit in found if (hit.conversation, hit.seq) not in places]
        found = SearchResult([*titled, *rest], found.behind, found.notes)
    hits = SearchResult(found[skip:][:depth], found.behind, found.notes)
    conversations = _flat(archive, hits) if flat else _grouped(archive, hits)
    kept: list[FoundConversation] = []
    room, cut = shown, len(found) > skip + depth
    for one in conversations:
        if room <= 0:
            break
        left_out = max(0, len(one.hits) - room)
        kept.append(one._replace(hits=one.hits[:room], more=one.more + left_out))
        cut = cut or bool(left_out)
        room -= len(one.hits)
    cut = cut or len(kept) < len(conversations)
    return SearchAnswer(tuple(kept), hits, cut)


def _titled(archive: Archive, text: str, wanted: ConversationFilter) -> list[Hit]:
    """A turn of each conversation that was renamed to what has all the words, the newest first."""
    from dejavu.archive import marks  # only here: without an archive nothing of it is needed

    expression, rest = split_expression(text)
    query = None if expression or archive.backend.answers else narrowed(parse(rest), wanted)
    if query is None or query.paths or query.wanted.role or query.wanted.tool:
        return []
    if all(word.negative for word in query.words):
        return []
    named = [one for one in archive.backend.read(marks.renamed) if _is_titled(one, query)]
    named.sort(key=lambda one: one.ended_at or one.started_at or 0.0, reverse=True)
    return [hit for one in named for hit in _opening(archive, one)]


def _is_titled(summary: Conversation, query: Query) -> bool:
    """Whether a conversation passes the filters, and its title has all the words."""
    from dejavu.archive.search.direct import has_word

    wanted, stems = query.wanted, tokens(summary.title)
    return (
        all(getattr(summary, kind, name) == name for kind, name in wanted.names())
        and wanted.between(summary.ended_at or summary.started_at)
        and wanted.fits_summary(summary)
        and (wanted.side or not summary.is_side)
        and all(has_word(word, stems) != word.negative for word in query.words)
    )


def _opening(archive: Archive, summary: Conversation) -> list[Hit]:
    """The first prompt as a hit, or the first turn where no prompt is near; none of an empty one."""
    from dejavu.archive.search.snippet import excerpt

    opening = list(archive.turns(summary.id, 0, _OPENING))
    turn = next((one for one in opening if one.role is Role.USER), opening[0] if opening else None)
    if turn is None:
        return []
    shown = excerpt(turn.text, ()).text
    return [Hit(summary.id, turn.seq, turn.role, 0.0, shown, turn.at, summary.agent)]


def _flat(archive: Archive, hits: Sequence[Hit]) -> list[FoundConversation]:
    summaries = {one.summary.id: one.summary for one in _grouped(archive, hits)}
    return [FoundConversation(summaries[hit.conversation], (hit,), 0) for hit in hits]


def _grouped(archive: Archive, hits: Sequence[Hit]) -> list[FoundConversation]:
    """The hits by conversation, the one with the best hit first."""
    of = dict[str, list[Hit]]()
    for hit in hits:
        of.setdefault(hit.conversation, []).append(hit)
    with archive.views.shared():
        archive.views.expect_summaries(of)
        return [_found(archive.summary(name), own) for name, own in of.items()]


def _found(summary: Conversation, hits: Sequence[Hit]) -> FoundConversation:
    first = dict[str, Hit]()
    for hit in hits:
        first.setdefault(hit.excerpt, hit)
    best = tuple(first.values())[:MOST]
    return FoundConversation(summary, best, len(hits) - len(best))
