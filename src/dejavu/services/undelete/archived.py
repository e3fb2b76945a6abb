"""What the archive holds of a conversation's own files: the session's, its sub-agents', those next to them.

Costs a scan of the agent's summaries, and O(bytes) for what is read.
"""

from collections.abc import Iterator
from functools import partial

from dejavu.archive import Archive
from dejavu.ingest.channel import load_session_log
from dejavu.model import Conversation, NotFoundError, Relation
from dejavu.providers import Kind
from dejavu.providers.restorer import StoredFile, StoredSession


def stored_session(
    archive: Archive,
    conversation: str,
    *,
    folders: tuple[tuple[str, str], ...] = (),
) -> tuple[Conversation, StoredSession]:
    """The main conversation of the one named, and the files of both and of all its sub-agents."""
    main = _main(archive, archive.summary(conversation))
    files: dict[str, StoredFile] = {}
    for one in (main, *_below(archive, main)):
        for key in archive.sources(one.id):
            source = load_session_log(archive, key)
            if source is not None and archive.raw_length(key):
                read = partial(_read, archive, key)
                files[key] = StoredFile(source.path, read, source.kind is not Kind.BESIDE)
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
    for piece in archive.raw(key):
        size += len(piece)
        yield piece
    if size < archive.raw_length(key):
        raise PrunedError(f"{archive.raw_length(key) - size} bytes of it were pruned")


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
