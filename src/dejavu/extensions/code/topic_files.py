"""Files that were changed where a topic was spoken of. O(hits + changes of their conversations).

Tested in: tests/interfaces/cli/test_code_commands.py
"""

import re
from typing import NamedTuple

from dejavu.archive import Archive

from .index import EditIndex
from .queries import Edit

_HITS = 80
_BEFORE, _AFTER = 6, 40  # turns around a hit whose changes belong to it


class TopicFile(NamedTuple):
    """A file: how much speaks for it, how often it was changed there, and the newest change."""

    path: str
    score: float
    changes: int
    newest: Edit


def topic_files(
    archive: Archive, index: EditIndex, topic: str, limit: int, *, workspace: str | None = None
) -> list[TopicFile]:
    """The files changed near what the search finds for a topic, the likest first."""
    scores: dict[str, float] = {}
    edits: dict[str, dict[tuple[str, int], Edit]] = {}
    for rank, hit in enumerate(archive.search(topic, limit=_HITS, workspace=workspace, side=False)):
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
