"""The answer of memory to a question as people and agents get it.

`dejavu memory find`, the browser, `--plain`, the page and MCP ask and log here, so what is shown and
how it is called are the same: each answer once, at most three of a conversation, and an exchange
that was replaced with the one that replaced it. `--json` and the library have every hit. It must not
draw, and must not ask in a way for one of them alone. O(hits) after the search.

Tested in: tests/interfaces/test_recall_answer.py
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.archive.namespace import SyncExtent
from dejavu.model import ArchiveError, ConversationFilter, NotFoundError, to_iso
from dejavu.model.plural import counted
from dejavu.recall import (
    Answer,
    Merging,
    Recall,
    RecallHit,
    RecallResult,
)
from dejavu.recall.factory import open_memory, open_recall
from dejavu.recall.injection import is_sure
from dejavu.recall.memory.memory_records import ShownHit
from dejavu.recall.terms import normalise
from dejavu.redact.sanitise import sanitise

from .search_answer import MOST

DEPTH = 3
"""How many times as many exchanges are looked at as are shown."""
PATIENCE = 2.0
"""Seconds in which what is new is indexed before an answer."""
_EMBEDDED = 8  # memories without a vector that get one, where no daemon has made it
_NAMED = 2  # exchanges that one replaces which are named
_LOOKED_AT = 50  # conversations of a project among which one names its folder


class RecalledExchange(NamedTuple):
    """An exchange that is shown; `more` counts the others of its conversation that are not.

    replaced_by: the event (`conversation#turn`) of the newer answer, empty where there is none.
    """

    hit: RecallHit
    more: int
    replaced_by: str = ""

    @property
    def sure(self) -> bool:
        """Whether it is sure to answer now: an answer that was replaced is not."""
        return self.hit.sure and not self.replaced_by

    @property
    def word(self) -> str:
        """What people read of `sure`."""
        return _word(self.sure)

    @property
    def texts(self) -> list[str]:
        """What was asked, the evidence and what was answered, each once; as captured."""
        hit = self.hit
        return [text for text in dict.fromkeys((hit.question, hit.excerpt, hit.answer)) if text]

    @property
    def changes(self) -> list[str]:
        """A line on what it replaces, and one on what replaced it, where there is any."""
        names = [sanitise(name, newlines=False) for name in self.hit.replaces]
        rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        lines = [f"replaces {', '.join(names[:_NAMED])}{rest}"] if names else []
        if self.replaced_by:
            lines.append(f"replaced by {sanitise(self.replaced_by, newlines=False)}")
        return lines


class RecalledMemory(NamedTuple):
    """A memory that is shown. sure: it would be put before the question, too."""

    memory: RecallResult
    sure: bool

    @property
    def word(self) -> str:
        """What people read of `sure`."""
        return _word(self.sure)


class Recalled(NamedTuple):
    """What was found for a question. `shown` are its hits as people read them."""

    question: str
    memories: list[RecalledMemory]
    answer: Answer
    shown: list[RecalledExchange]
    logged: bool = True

    @property
    def counts(self) -> str:
        """How much of what is shown; empty where nothing is."""
        kinds = (("memory", "memories", self.memories), ("exchange", "exchanges", self.shown))
        return " · ".join(
            f"{counted(len(found), one, many)}, {sum(row.sure for row in found)} sure"
            for one, many, found in kinds
            if found
        )

    @property
    def behind(self) -> str:
        """A sentence on conversations that were not looked at; empty where all were."""
        if not self.answer.behind:
            return ""
        return (
            f"{self.answer.behind} conversations are not in the recall index yet: ask again, or see "
            "`dejavu doctor` where this number stays"
        )

    @property
    def doubt(self) -> str:
        """A sentence for before the hits, where none is sure."""
        found = [one.sure for one in self.memories] + [one.sure for one in self.shown]
        if not found or any(found):
            return ""
        return f"no certain answer to {self._asked}; the closest matches:"

    @property
    def common(self) -> list[str]:
        """A sentence for each word that was too common to look by."""
        return [f"{word!r} occurs too often here to search by" for word in self.answer.notes]

    @property
    def nothing(self) -> str:
        """A sentence where nothing was found; empty where anything was, or may be."""
        if self.memories or self.answer.hits or self.answer.behind:
            return ""
        return f"nothing recalled for {self._asked}"

    @property
    def remarks(self) -> list[str]:
        """All of these sentences that apply, in order."""
        said = (self.behind, self.nothing, *self.common, self.doubt)
        return [sentence for sentence in said if sentence]

    @property
    def _asked(self) -> str:
        return repr(sanitise(self.question, newlines=False, limit=80).strip())

    def document(self, extent: SyncExtent | None = None) -> dict[str, Any]:
        """The document of `dejavu memory find --json`; extent: how far a sync got that is not done."""
        hits = _records(exchanges(self.answer.hits))
        return {
            "context": self.question,
            "memories": [
                {**msgspec.to_builtins(one.memory), "sure": one.sure} for one in self.memories
            ],
            "hits": hits,
            "uncertain": [hit for hit in hits if not hit["sure"]],
            "behind": self.answer.behind,
            "partial": extent and extent._asdict(),
        }


class WantedMemories(NamedTuple):
    """Which memories are shown; the fields are of `Memory.recall`."""

    threshold: float = 0.2
    min_confidence: float = 0.0
    superseded: bool = False


ANY_MEMORY = WantedMemories()


def recall(
    archive: Archive,
    question: str,
    limit: int,
    workspace: str | None,
    *,
    engine: Recall | None = None,
    merging: Merging | None = None,
    history: bool = True,
    flat: bool = False,
    wanted: WantedMemories = ANY_MEMORY,
) -> Recalled:
    """Ask memory, and log what it showed where the archive can be written.

    engine: one that is open already, and caught up as far as the caller wants. merging: instead of the
    settings' own. history: past exchanges, too. flat: for programs, exactly `limit` hits by rank, all
    of a conversation.

    Raises:
        ArchiveError: the archive cannot be read.
        ConfigError: the settings cannot be read.
    """
    memory = open_memory(archive)
    with suppress(ArchiveError):  # locked, or refused: words find them meanwhile
        if archive.writable:
            memory.embed_pending(_EMBEDDED)
    results: list[RecallResult] = memory.recall(
        question, limit=limit, workspace=workspace, log=False, **wanted._asdict()
    )
    answer = Answer([])
    if history:
        patience = PATIENCE if engine is None else 0.0
        asked = engine or open_recall(archive, merging)
        answer = asked.ask(question, limit if flat else DEPTH * limit, workspace, patience=patience)
    shown = fold(answer.hits, limit)
    seen = exchanges(answer.hits) if flat else shown
    memory.log_recall(
        question, results, [ShownHit(one.hit.event, one.hit.score, one.sure) for one in seen]
    )
    memories = [RecalledMemory(one, is_sure(question, one)) for one in results]
    return Recalled(question, memories, answer, shown, logged=not memory.unlogged)


def workspace_in(archive: Archive, wanted: ConversationFilter) -> str | None:
    """The folder to ask in for a filter's workspace or project; None where it has neither.

    A project is asked by the folder of its newest conversation: the others come with it.

    Raises:
        NotFoundError: no conversation was held in that project.
    """
    if wanted.workspace is not None or wanted.project is None:
        return wanted.workspace
    among = archive.select(ConversationFilter(project=wanted.project), limit=_LOOKED_AT)
    for summary in among:
        if summary.workspace:
            return summary.workspace
    raise NotFoundError(f"no conversation was held in the project {wanted.project!r}")


def exchanges(hits: Iterable[RecallHit]) -> list[RecalledExchange]:
    """Every hit in order, those that were replaced with the newest that replaces them."""
    hits = list(hits)
    newer = dict[str, str]()
    for hit in hits:
        for event in hit.replaces:
            newer.setdefault(event, hit.event)  # the newest of them comes first
    return [RecalledExchange(hit, 0, newer.get(hit.event, "")) for hit in hits]


def fold(hits: Sequence[RecallHit], limit: int) -> list[RecalledExchange]:
    """The exchanges to show, in order and no text twice; those that were replaced say by what."""
    shown: list[RecalledExchange] = []
    texts = set[str]()
    kept, folded = dict[str, int](), dict[str, int]()
    for one in exchanges(hits):
        hit = one.hit
        text = normalise(f"{hit.question} {hit.answer} {hit.excerpt}")
        if text in texts or kept.get(hit.conversation, 0) == MOST:
            folded[hit.conversation] = folded.get(hit.conversation, 0) + 1
            continue
        if len(shown) == limit:
            break
        shown.append(one)
        texts.add(text)
        kept[hit.conversation] = kept.get(hit.conversation, 0) + 1
    last = {one.hit.conversation: number for number, one in enumerate(shown)}
    return [
        one._replace(
            more=folded.get(one.hit.conversation, 0) * (last[one.hit.conversation] == number)
        )
        for number, one in enumerate(shown)
    ]


def _word(sure: bool) -> str:
    return "sure" if sure else "unsure"


def _records(found: Iterable[RecalledExchange]) -> list[dict[str, Any]]:
    fields = (
        {**one.hit._asdict(), "at": to_iso(one.hit.at), "sure": one.sure,
         "replaced_by": one.replaced_by}
        for one in found
    )  # fmt: skip
    return [
        {name: msgspec.to_builtins(value) for name, value in one.items() if name != "evidence"}
        for one in fields
    ]
