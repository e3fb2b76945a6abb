"""The answer to a query as people and agents get it: conversations, each with its best turns.

`dejavu search`, the browser, `--plain`, the page and MCP all ask here, so spelling, notes, ranking
and the number of turns of a conversation are the same. It must not draw, and must not ask in a way
for one of them alone. O(hits) after the search.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dejavu.archive import Archive, Hit, SearchResult
from dejavu.model import Conversation, ConversationFilter

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
