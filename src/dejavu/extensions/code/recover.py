"""The content of a file before a change, put together from what the archive holds of it.

The newest whole content before that moment is taken (a written file, or the result of a read that
was not cut), and the replacements after it are made again. Where a replacement does not fit, or no
whole content is known, the pieces that were replaced are all there is, and that is said. O(changes of
the file after that content), with a look into the archive for each, and for each read of it in their
conversations until one shows it whole.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.model import DejavuError, NotFoundError, ToolCall
from dejavu.model.conversation import turn_name

from .failures import failure_text
from .file_edit import EditKind, FileEdit
from .index import EditIndex
from .queries import Call, Edit
from .tool_arguments import argument_fields, tool_edits
from .why import call_at

_NAMED = 5  # turns that a message names
_NEAR = 60  # changes either side of a time that are looked at first
_READS = re.compile(r"read|view|cat|open", re.IGNORECASE)
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t|\| ?|: )")


class Recovered(NamedTuple):
    """A content: `whole` if it is the file, else the pieces that stood there."""

    text: str
    whole: bool
    edit: Edit
    reason: str = ""


def recover(
    archive: Archive,
    index: EditIndex,
    paths: list[str],
    *,
    at: float | None,
    turn: tuple[str, int] | None,
) -> Recovered:
    """The content of a file before its change in a turn, or as it stood at a time.

    Raises:
        NotFoundError: the archive has no change of the file there.
    """
    edits = _edits(index, paths, None if turn is not None else at)
    if turn is not None:
        position = next((n for n, e in enumerate(edits) if (e.conversation, e.seq) == turn), None)
    else:
        position = next((n for n, e in enumerate(edits) if (e.at or 0.0) > (at or 0.0)), len(edits))
    if position is None or not edits:
        others = [
            turn_name(e.conversation, e.seq) for e in edits if turn and e.conversation == turn[0]
        ]
        there = f"; that conversation changed it in {', '.join(others[:_NAMED])}" if others else ""
        raise NotFoundError(
            f"no change of {paths[0]!r} is known there{there or '; `dejavu code files` lists files'}"
        )
    target = edits[min(position, len(edits) - 1)]
    start, content = _base(archive, index, paths, edits[:position], target, at)
    if content is None and turn is None and position >= _NEAR:
        edits = _edits(index, paths, None)  # the last whole content may be further back
        position = next((n for n, e in enumerate(edits) if (e.at or 0.0) > (at or 0.0)), len(edits))
        start, content = _base(archive, index, paths, edits[:position], target, at)
    reason = "the archive has no full copy of the file from before then"
    if content is not None:
        for edit in edits[start:position]:
            content = _applied(archive, edit, content)
            if content is None:
                place = turn_name(edit.conversation, edit.seq)
                reason = f"the change in {place} does not fit what was before it"
                break
        else:
            return Recovered(content, whole=True, edit=target)
    if position >= len(edits):
        raise NotFoundError(f"{reason}; no later change says what it replaced")
    return _stated_before(archive, target, is_first=not position, reason=reason)


def _stated_before(archive: Archive, target: Edit, *, is_first: bool, reason: str) -> Recovered:
    """The pieces of a file that a change says it replaced.

    Raises:
        NotFoundError: it says nothing.
    """
    pieces = [
        "\n".join(h.before) for one in _stated(archive, target) for h in one.hunks if h.before
    ]
    if not pieces and is_first and target.kind == EditKind.WRITE:
        place = turn_name(target.conversation, target.seq)
        raise NotFoundError(
            f"{place} wrote the whole file and nothing earlier is known; it probably created it"
        )
    if not pieces:
        raise NotFoundError(f"{reason}, and the change does not say what it replaced")
    return Recovered("\n".join(pieces) + "\n", whole=False, edit=target, reason=reason)


def _edits(index: EditIndex, paths: list[str], at: float | None) -> list[Edit]:
    """The changes of a file under its names, oldest first; those near a time alone."""
    found = (
        edit
        for path in paths
        for edit in (index.edits_at(path) if at is None else index.edits_around(path, at, _NEAR))
    )
    return sorted(found, key=lambda edit: edit.at or 0.0)


def _base(
    archive: Archive,
    index: EditIndex,
    paths: list[str],
    edits: list[Edit],
    target: Edit,
    at: float | None,
) -> tuple[int, str | None]:
    """The newest whole content before a moment, and the first change that came after it."""
    until = at if at is not None else (target.at or 0.0)

    @cache
    def reads(conversation: str) -> list[Call]:  # of few: the search ends at a whole content
        calls = [call for path in paths for call in index.reads_of(path, conversation, 0.0, until)]
        return sorted(call for call in calls if _READS.search(call.tool))

    @cache
    def content_read(call: Call) -> str | None:
        return _content_read(archive, call)

    for number in range(len(edits) - 1, -1, -1):
        edit = edits[number]
        read = _read_after(content_read, reads(edit.conversation), edit, until)
        if read is not None:
            after = next((n for n, e in enumerate(edits) if (e.at or 0.0) > read[0]), len(edits))
            return after, read[1]
        if edit.kind == EditKind.WRITE:
            stated = [one for one in _stated(archive, edit) if one.kind is EditKind.WRITE]
            if stated:
                return number + 1, "".join(f"{line}\n" for line in stated[0].hunks[0].after)
    read = _read_after(content_read, reads(target.conversation), target, until)
    return (0, read[1]) if read is not None else (0, None)


def _read_after(
    content_read: Callable[[Call], str | None], reads: list[Call], edit: Edit, until: float
) -> tuple[float, str] | None:
    """The newest uncut read of a file in an edit's conversation, not after a moment nor before it."""
    for call in reversed(reads):
        at = call.at or 0.0
        if call.ok is False or at > until:
            continue
        if edit.seq <= call.seq and at < (edit.at or 0.0):
            continue
        text = content_read(call)
        if text is not None:
            return at, text
    return None


def _content_read(archive: Archive, call: Call) -> str | None:
    part = call_at(archive, call.conversation, call.seq, call.part)
    fields = argument_fields(part.arguments) if isinstance(part, ToolCall) else {}
    if any(fields.get(name) for name in ("offset", "limit", "startline", "endline", "viewrange")):
        return None
    rows = failure_text(archive, call).split("\n")
    numbered = [row for row in rows if _NUMBERED.match(row)]
    if not numbered or int(re.search(r"\d+", numbered[0])[0]) != 1:  # type: ignore[index]  # it matched
        return None
    return "".join(_NUMBERED.sub("", row, count=1) + "\n" for row in numbered)


def _stated(archive: Archive, edit: Edit) -> list[FileEdit]:
    try:
        part = call_at(archive, edit.conversation, edit.seq, edit.part)
    except DejavuError:
        return []
    if not isinstance(part, ToolCall):
        return []
    base = edit.path.rsplit("/", 1)[-1]
    stated = tool_edits(part.name, part.arguments)
    return [one for one in stated if one.path.replace("\\", "/").rsplit("/", 1)[-1] == base]


def _applied(archive: Archive, edit: Edit, content: str) -> str | None:
    """A content after a change; None where the change does not fit it."""
    for one in _stated(archive, edit):
        if one.kind is EditKind.WRITE:
            content = "".join(f"{line}\n" for line in one.hunks[0].after)
        elif one.kind is EditKind.APPEND:
            content += "".join(f"{line}\n" for hunk in one.hunks for line in hunk.after)
        elif one.kind is EditKind.REPLACE:
            for hunk in one.hunks:
                before, after = "\n".join(hunk.before), "\n".join(hunk.after)
                if not before or before not in content:
                    return None
                content = content.replace(before, after, 1)
        elif one.kind is EditKind.TOUCH:
            return None
    return content
