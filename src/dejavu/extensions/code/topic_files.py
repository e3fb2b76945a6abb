"""Files that were changed where a topic was spoken of, or in a conversation.

Costs O(hits + changes of their conversations).

An archive on a server is asked for the turns around the hits; the index of edits is not needed there.

Tested in: tests/interfaces/cli/test_code_commands.py
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from dejavu.archive import Archive, Hit

from .index import EditIndex
from .open_index import brought_up
from .queries import Edit

_HITS = 80
_BEFORE, _AFTER = 6, 40  # turns around a hit whose changes belong to it


class TopicFile(NamedTuple):
    """A file: how much speaks for it, how often it was changed there, and the newest change."""

    path: str
    score: float
    changes: int
    newest: Edit


@contextmanager
def edits_at(archive: Archive, hits: Sequence[Hit]) -> Generator[EditIndex]:
    """An index of edits that has those around hits."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for hit in sorted(hits, key=lambda hit: hit.seq):
        first, last = max(0, hit.seq - _BEFORE), hit.seq + _AFTER + 1
        known = spans.setdefault(hit.conversation, [])
        if known and known[-1][1] >= first:
            known[-1] = (known[-1][0], last)
        else:
            known.append((first, last))
    with _edits_in(
        archive, [(n, *span) for n, around in spans.items() for span in around]
    ) as index:
        yield index


@contextmanager
def _edits_in(archive: Archive, wanted: Sequence[tuple[str, int, int]]) -> Generator[EditIndex]:
    """An index of edits that has those of some turns: conversation, first and after the last."""
    if not archive.views.searched_there:
        with EditIndex(archive) as index:
            brought_up(index)
            yield index
        return
    with archive.views.shared():
        archive.views.expect_turns_of(wanted)
        index = EditIndex(archive, wanted)
    with index:
        yield index


def topic_files(
    archive: Archive, topic: str, limit: int, *, workspace: str | None = None
) -> list[TopicFile]:
    """The files changed near what the search finds for a topic, the likest first."""
    hits = archive.search(topic, limit=_HITS, workspace=workspace, side=False)
    with edits_at(archive, hits) as index:
        return _ranked(index, hits, topic, limit)


def _ranked(index: EditIndex, hits: Sequence[Hit], topic: str, limit: int) -> list[TopicFile]:
    scores: dict[str, float] = {}
    edits: dict[str, dict[tuple[str, int], Edit]] = {}
    for rank, hit in enumerate(hits):
        first, last = hit.seq - _BEFORE, hit.seq + _AFTER
        for edit in index.edits_near(hit.conversation, first, last):
            distance = edit.seq - hit.seq
            seen = edits.setdefault(edit.path, {})
            if (edit.conversation, edit.seq) in seen:
                continue
            seen[edit.conversation, edit.seq] = edit
            weight = 1 / (1 + rank / 10) / (1 + abs(distance) / 10)
            scores[edit.path] = scores.get(edit.path, 0.0) + weight
    words = {word.lower() for word in re.findall(r"\w{3,}", topic)}
    for path in scores:
        named = sum(word in path.lower() for word in words)
        scores[path] *= 1 + named
    best = sorted(scores, key=lambda path: -scores[path])[:limit]
    return [
        TopicFile(
            path, round(scores[path], 3), len(edits[path]),
            max(edits[path].values(), key=lambda edit: edit.at or 0.0),
        )
        for path in best
    ]  # fmt: skip


def files_of(archive: Archive, conversation: str) -> list[TopicFile]:
    """The files changed in a conversation, in the order of their first changes."""
    edits: dict[str, list[Edit]] = {}
    end = archive.summary(conversation).turn_count
    with _edits_in(archive, [(conversation, 0, end)]) as index:
        for edit in index.edits_of(conversation):
            if edit.ok is not False:
                edits.setdefault(edit.path, []).append(edit)
    return [TopicFile(path, 1.0, len(made), made[-1]) for path, made in edits.items()]
