"""What the archive holds of a conversation's own files: the session's, its sub-agents', those next to them.

Costs a scan of the agent's summaries, and O(bytes) for what is read.

Tested in: tests/services/undelete/test_undelete.py
"""

from collections.abc import Iterator
from functools import partial

from dejavu.archive import Archive
from dejavu.archive.compactions import last_compaction
from dejavu.ingest.channel import load_session_log
from dejavu.model import Conversation, InvalidValueError, NotFoundError, Relation, Vector
from dejavu.providers import Kind
from dejavu.providers.restorer import StoredFile, StoredSession


def stored_session(
    archive: Archive,
    conversation: str,
    *,
    folders: tuple[tuple[str, str], ...] = (),
    before_compaction: bool = False,
) -> tuple[Conversation, StoredSession]:
    """The main conversation of the one named, and the files of both and of all its sub-agents.

    before_compaction: its session log ends where the agent last compacted its context.

    Raises:
        NotFoundError: it was not compacted.
        InvalidValueError: its bytes do not say where that was.
        HiddenTurnsError: a session log of it is shared with a project that this login may not read.
    """
    main = _main(archive, archive.summary(conversation))
    cut = _compacted_at(archive, main) if before_compaction else ("", 0)
    files: dict[str, StoredFile] = {}
    for one in (main, *_below(archive, main)):
        archive.sources.refuse_hidden(one.id)
        for key in archive.sources.of(one.id):
            source = load_session_log(archive, key)
            if source is not None and archive.sources.raw_length(key):
                read = partial(_read, archive, key)
                if key == cut[0]:
                    read = partial(_beginning, archive, *cut)
                files[key] = StoredFile(source.path, read, source.kind is not Kind.SIDE_FILE)
    session = StoredSession(
        main.native_id, main.workspace, tuple(files.values()), folders,
        changed=main.ended_at or main.captured_at or 0.0,
    )  # fmt: skip
    return main, session


def _read(archive: Archive, key: str) -> Iterator[bytes]:
    """The latest writing of a source.

    Raises:
        PrunedError: its beginning was pruned.
    """
    size = 0
    for piece in archive.sources.raw(key):
        size += len(piece)
        yield piece
    if size < archive.sources.raw_length(key):
        raise PrunedError(f"{archive.sources.raw_length(key) - size} bytes of it were pruned")


def _beginning(archive: Archive, key: str, size: int) -> Iterator[bytes]:
    """The first `size` bytes of a source."""
    for piece in _read(archive, key):
        yield piece[:size]
        size -= len(piece)
        if size <= 0:
            return


def _compacted_at(archive: Archive, main: Conversation) -> tuple[str, int]:
    """The session log of a conversation, and the offset at which its last compaction begins there."""
    seq = last_compaction(archive, main.id).seq
    turn = next(archive.turns(main.id, seq, seq + 1))
    logs = [
        key
        for key in archive.sources.of(main.id)
        if (source := load_session_log(archive, key)) is not None and source.kind is Kind.APPEND
    ]
    if turn.vector is not Vector.NATIVE or len(logs) != 1 or not turn.spans:
        raise InvalidValueError("its bytes do not say where it was compacted")
    return logs[0], turn.spans[0].offset


class PrunedError(Exception):
    """Bytes of a file are not in the archive any more."""


def _main(archive: Archive, one: Conversation) -> Conversation:
    """The conversation above a sub-agent's; itself for any other."""
    seen = {one.id}
    while one.relation is Relation.SUBAGENT and one.parent and one.parent not in seen:
        seen.add(one.parent)
        try:
            one = archive.summary(one.parent)
        except NotFoundError:
            break
    return one


def _below(archive: Archive, main: Conversation) -> list[Conversation]:
    """The sub-agents of a conversation, and theirs."""
    children: dict[str, list[Conversation]] = {}
    for one in archive.scan(agent=main.agent, instance=main.instance):
        if one.relation is Relation.SUBAGENT and one.parent:
            children.setdefault(one.parent, []).append(one)
    found: list[Conversation] = []
    waiting = [main.id]
    while waiting:
        for one in children.pop(waiting.pop(), []):
            found.append(one)
            waiting.append(one.id)
    return found
