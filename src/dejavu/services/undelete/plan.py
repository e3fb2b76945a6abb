"""What `undelete` would do: each file, entry and row, and how it compares with what is there.

A step is `create` (nothing is there), `add` (an entry or rows are missing), `there` (all of it is
there, or more), `differs` (something else is there: it is refused), `missing` (the archive has no
bytes of it, or the place cannot take them) or `partial` (a tool output of which only the first 16 MiB
were archived: it is left out). Reads both sides once; writes nothing.

Tested in: tests/services/undelete/test_undelete.py
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from dejavu.archive import Archive
from dejavu.model import Conversation, InvalidValueError, NotFoundError
from dejavu.providers import PROVIDERS, RESTORERS, Home
from dejavu.providers.restorer import (
    EntryItem,
    FileItem,
    Item,
    MissingItem,
    Restorer,
    RowsItem,
    StoredSession,
)
from dejavu.providers.spilled import LONGEST

from .archived import PrunedError, stored_session
from .rows import compare_rows

State = Literal["create", "add", "there", "differs", "missing", "partial"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that must be there. Sizes in bytes; digests are SHA-256, in hexadecimal."""

    state: State
    item: Item
    path: Path | None
    what: str
    """In a few words: why it is refused, or what is added."""
    size: int = 0
    digest: str = ""
    size_there: int | None = None
    digest_there: str = ""
    differs_at: int | None = None
    """The offset of the first byte that differs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that put one conversation back."""

    conversation: Conversation
    session: StoredSession
    root: Path
    steps: tuple[Step, ...]

    @property
    def refused(self) -> tuple[Step, ...]:
        """The steps that cannot be done; none is done then."""
        return tuple(step for step in self.steps if step.state in ("differs", "missing"))

    @property
    def needed(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.state in ("create", "add"))

    @property
    def partial(self) -> tuple[Step, ...]:
        """The files that are left out because the archive lacks their end."""
        return tuple(step for step in self.steps if step.state == "partial")


def make_plan(
    archive: Archive,
    conversation: str,
    home: Home,
    *,
    folders: tuple[tuple[str, str], ...] = (),
    as_copy: bool = False,
    before_compaction: bool = False,
) -> Plan:
    """Compare what the archive holds of a conversation with what is below `home`.

    as_copy: under a new id. before_compaction: a copy that ends where its agent last compacted it.

    Raises:
        NotFoundError: nothing is known of how its agent finds its files, none is archived, or it
            was not compacted.
        InvalidValueError: its agent takes no copy, or no other folder.
    """
    main, session = stored_session(
        archive, conversation, folders=folders, before_compaction=before_compaction
    )
    restorer = _restorer(main)
    if not session.files:
        raise NotFoundError(
            f"{main.id} was captured from {_vectors(main)}: the archive has none of {main.agent}'s "
            f"own bytes; `dejavu code handoff {main.id} --to AGENT` continues it from its turns"
        )
    if as_copy or before_compaction:
        if not restorer.copies:
            raise InvalidValueError(f"{main.agent} takes no copy of a conversation under a new id")
        session = session._replace(copy_id=restorer.new_id(session))
    if session.folder != session.workspace and not restorer.moves:
        raise InvalidValueError(f"{main.agent} cannot resume a conversation in another folder")
    root = PROVIDERS[main.agent].roots(home)[restorer.root]
    steps = tuple(_step_below(item, root) for item in restorer.items(session, root))
    return Plan(main, session, root, _with_newer(steps))


def _with_newer(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps in which files next to a log that is there may be newer than the archived ones."""
    logs = [step for step in steps if isinstance(step.item, FileItem) and step.item.is_log]
    if not logs or any(step.state != "there" for step in logs):
        return steps
    return tuple(
        replace(step, state="there", what="the agent changed it since")
        if step.state == "differs" and isinstance(step.item, FileItem)
        else step
        for step in steps
    )


def _restorer(conversation: Conversation) -> Restorer:
    if conversation.agent not in RESTORERS:
        raise NotFoundError(
            f"{conversation.agent or 'this agent'}: Déjà Vu can't restore its conversations yet; "
            f"`dejavu code handoff {conversation.id} --to AGENT` continues it in another agent"
        )
    return RESTORERS[conversation.agent]


def _vectors(conversation: Conversation) -> str:
    return " and ".join(conversation.vectors) or "nothing"


def again(step: Step) -> Step:
    """The step compared with what is there now."""
    return _step(step.item)


def _step_below(item: Item, root: Path) -> Step:
    """The step of an item; a file goes below its agent's folder, whatever the archive says.

    The path was written down by the person who archived the file: a colleague, or the maker of a backup.
    """
    if not isinstance(item, MissingItem):
        parts = item.path.parts
        below = not isinstance(item, FileItem) or item.path.is_relative_to(root)
        if not below or ".." in parts or not str(item.path).isprintable():
            what = "the archived path leads out of this agent's folder"
            return Step("missing", item, item.path, what)
    return _step(item)


def _step(item: Item) -> Step:
    if isinstance(item, MissingItem):
        return Step("missing", item, None, item.what)
    try:
        if isinstance(item, FileItem):
            return _file(item)
        return _entry(item) if isinstance(item, EntryItem) else _rows(item)
    except PrunedError as error:
        return Step("missing", item, item.path, str(error))
    except OSError as error:
        return Step("missing", item, item.path, error.strerror or str(error))


def _file(item: FileItem) -> Step:
    size, digest = _measured(item.read())
    step = Step("create", item, item.path, "", size, digest)
    if not os.path.lexists(item.path):
        return replace(step, state="partial", what=_PARTIAL) if _is_partial(step) else step
    if item.path.is_symlink() or not item.path.is_file():
        return replace(step, state="differs", what="something other than a file is there")
    with item.path.open("rb") as file:
        size_there, digest_there = _measured(iter(lambda: file.read(1 << 20), b""))
    step = replace(step, size_there=size_there, digest_there=digest_there)
    if digest_there == digest:
        return replace(step, state="there")
    at = _first_difference(item)
    if at == size:
        return replace(step, state="there", what=f"and {size_there - size} bytes more")
    return replace(step, state="differs", what="another file is there", differs_at=at)


_PARTIAL = "only its beginning was archived; it is left out"


def _is_partial(step: Step) -> bool:
    """Whether the archive may lack the file's end: of files next to a log it keeps so much."""
    return isinstance(step.item, FileItem) and not step.item.is_log and step.size >= LONGEST


def _measured(pieces: Iterator[bytes]) -> tuple[int, str]:
    size, digest = 0, sha256()
    for piece in pieces:
        size += len(piece)
        digest.update(piece)
    return size, digest.hexdigest()


def _first_difference(item: FileItem) -> int:
    """Where the file that is there first differs from the bytes; their length if it has them all."""
    at = 0
    with item.path.open("rb") as file:
        for piece in item.read():
            there = file.read(len(piece))
            if there != piece:
                return at + next(
                    (i for i, (a, b) in enumerate(zip(piece, there, strict=False)) if a != b),
                    len(there),
                )
            at += len(piece)
    return at


def _entry(item: EntryItem) -> Step:
    current = item.path.read_bytes() if item.path.exists() else None
    planned = item.add(current)
    return Step("there" if planned == current else "add", item, item.path, item.what)


def _rows(item: RowsItem) -> Step:
    if not item.path.exists():
        return Step(
            "missing", item, item.path,
            f"there is no database; `{item.how_to_make}` makes it, then run this again",
        )  # fmt: skip
    absent, different = compare_rows(item)
    if different:
        named = ", ".join(f"{row.table} {row.values[row.key[0]]}" for row in different[:3])
        return Step(
            "differs", item, item.path, f"{len(different)} rows are there and differ: {named}"
        )
    if not absent:
        return Step("there", item, item.path, f"{len(item.rows)} rows")
    return Step("add", item, item.path, f"{len(absent)} rows")
