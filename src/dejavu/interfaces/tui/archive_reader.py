"""The archive as the panes read it: errors become a notification, and an empty answer.

Opened read-only, and only if it is there. Any thread may call. `summaries` costs
O(summaries taken), `origins` O(all conversations).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from dejavu.archive import Archive, Counts, SearchResult
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.ingest.catch_up import catch_up
from dejavu.model import (
    Conversation,
    ConversationFilter,
    DejavuError,
    InvalidValueError,
    NotFoundError,
    Turn,
)

from ..search_answer import NOTHING, SearchAnswer, search
from .formatting import last_moment

if TYPE_CHECKING:
    from ..recall_answer import Recalled  # memory and its index: loaded when it is asked

RECALLED = 20
"""Exchanges that an answer of memory shows at most."""
Filters = Mapping[str, str]
"""The fields that a person chose, in that order: of `project` (its whole name), `instance`, `agent`."""

_HELD = ConversationFilter(side=False)


class OriginCount(NamedTuple):
    """How much of one agent's is in one project of one instance, and its last moment."""

    project: str
    instance: str
    agent: str
    conversations: int
    newest: float


def _filter(filters: Filters) -> ConversationFilter:
    wanted = _HELD.replace(**filters)
    return wanted if wanted.project is None else wanted.replace(project=f"={wanted.project}")


class ArchiveReader:
    """What there is to read."""

    def __init__(self, complain: Callable[[Exception], None]) -> None:
        self._complain = complain
        self._stack = ExitStack()
        self._archive: Archive | None = None

    def open(self) -> None:
        """Open the archive, if there is one and it is not open."""
        if self._archive is None:
            try:
                self._archive = self._stack.enter_context(open_archive())
            except NoArchiveError:
                return
            except DejavuError as error:
                self._complain(error)

    def close(self) -> None:
        """Let go of it; it may be opened again."""
        self._archive = None
        self._stack.close()

    @property
    def there(self) -> bool:
        """Whether it is open."""
        return self._archive is not None

    def summaries(self, filters: Filters, limit: int | None = None) -> Iterator[Conversation]:
        """The summaries that pass a filter, the newest first, as far as one takes them."""
        if self._archive is None:
            return
        try:
            yield from self._archive.select(_filter(filters), limit=limit)
        except (DejavuError, OSError) as error:
            self._complain(error)

    def summary(self, conversation: str) -> Conversation | None:
        """The summary of one conversation."""
        try:
            return None if self._archive is None else self._archive.summary(conversation)
        except (DejavuError, OSError) as error:
            self._complain(error)
            return None

    def has(self, conversation: str) -> bool:
        """Whether a conversation is there, by its whole id."""
        try:
            return self._archive is not None and self._archive.resolve(conversation) == conversation
        except NotFoundError:
            return False

    def turns(self, conversation: str, start: int, stop: int) -> Sequence[Turn]:
        """A window of turns."""
        if self._archive is None:
            return ()
        try:
            return tuple(self._archive.turns(conversation, start, stop))
        except (DejavuError, OSError) as error:
            self._complain(error)
            return ()

    def whole(self, conversation: str) -> Conversation | None:
        """All of a conversation, to take along."""
        try:
            return None if self._archive is None else self._archive.get(conversation)
        except (DejavuError, OSError) as error:
            self._complain(error)
            return None

    def change(self, work: Callable[[Archive], str]) -> str | None:
        """What `work` says it changed; None where it failed, or there is no archive."""
        try:
            return None if self._archive is None else work(self._archive)
        except (DejavuError, OSError) as error:
            self._complain(error)
            return None

    def counts(self) -> Counts | None:
        """What there is, in figures; reads every summary."""
        try:
            return None if self._archive is None else self._archive.counts()
        except (DejavuError, OSError) as error:
            self._complain(error)
            return None

    def origins(self) -> list[OriginCount]:
        """Where conversations were held, the newest place first."""
        origins: dict[tuple[str, str, str], tuple[int, float]] = {}
        for summary in self.summaries({}):
            key = (summary.place, summary.instance, summary.agent)
            count, newest = origins.get(key, (0, 0.0))
            origins[key] = (count + 1, max(newest, last_moment(summary) or 0.0))
        return [OriginCount(*key, *counts) for key, counts in origins.items()]

    def search(self, query: str, filters: Filters) -> SearchAnswer:
        """The answer to a query, which may be still typed."""
        if self._archive is None:
            return NOTHING
        try:
            catch_up(self._archive, patience=0.3)
            return search(self._archive, query, _filter(filters))
        except InvalidValueError as error:  # an expression that is still typed
            return NOTHING._replace(hits=SearchResult(notes=[str(error)]))
        except (DejavuError, OSError) as error:
            self._complain(error)
            return NOTHING

    def recall(self, question: str, filters: Filters) -> "Recalled | None":
        """What memory answers, in the project of the filter or in all; None where it failed."""
        from ..recall_answer import recall, workspace_in

        try:
            if self._archive is None:
                return None
            catch_up(self._archive, patience=0.3)
            workspace = workspace_in(self._archive, _filter(filters))
            return recall(self._archive, question, RECALLED, workspace)
        except (DejavuError, OSError, ValueError) as error:
            self._complain(error)
            return None
