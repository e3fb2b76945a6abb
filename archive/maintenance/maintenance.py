"""The care of an archive: verify, backup, restore, prune, gc.

`Archive.maintenance` looks after the store itself; the work is in the modules of those names, and
is loaded when it is wanted: most who open an archive read or write. Costs are theirs. A backup
is restored (`backup.restore`) and a damaged file repaired (`repair.repair`) without an open archive.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dejavu.model import ArchiveError, NotFoundError

from .. import log
from ..backends.layout import DATA
from ..backends.transaction import Writer

if TYPE_CHECKING:
    from ..commit import CommittedChange
    from ..store import Archive
    from ..withheld import Mask
    from .old_copies import LeftBehind
    from .pack import Packed
    from .prune import Pruned
    from .trash import Deleted
    from .verify import Report


class GcResult(NamedTuple):
    """What gc did: records nothing led to, dead readers' places, bytes given back.

    `left`: older copies that could not be cleaned. `packed`: see `pack.py`; what it saved is free
    for what comes, and leaves the file with `compact`.
    """

    orphans: int
    stale_readers: int
    freed_bytes: int
    left: "tuple[LeftBehind, ...]" = ()
    packed: "Packed | None" = None


class Maintenance:
    """What keeps an archive healthy."""

    def __init__(self, archive: "Archive") -> None:
        """Use `Archive.maintenance`."""
        self._archive = archive

    def verify(self) -> "Report":
        """Every checksum, count and link looked at; prints nothing, changes nothing."""
        from . import verify

        return verify.verify(self._archive.backend)

    def backup(self, target: str | Path) -> int:
        """Write a compact copy to the new folder `target` without stopping writers; return its bytes.

        Raises:
            ArchiveError: `target` is there already, or could not be written.
        """
        from . import backup

        return backup.backup(self._archive.backend, Path(target).expanduser().absolute())

    def prune(
        self,
        *,
        before: float | None = None,
        workspace: str | None = None,
        instance: str | None = None,
        agent: str | None = None,
        pattern: str | None = None,
        any_clock: bool = False,
        only: tuple[str, ...] = (),
        dry_run: bool = False,
        most: int | None = None,
    ) -> "Pruned":
        """Remove the conversations that meet every condition; return what was removed.

        `before` is Unix seconds, `pattern` a regular expression looked for in titles,
        workspaces and all turns. With `dry_run`, what would go. `most` conversations go at the most,
        the oldest first. What is old by an impossible clock
        alone (before 2015, and captured since) stays, unless `any_clock`. `only`: among these ids.

        Raises:
            ConfigError: nothing was given, or the pattern is no regular expression.
        """
        from . import prune

        criteria = prune.Criteria(before, workspace, instance, agent, pattern, any_clock, only)
        gone: list[str] = []
        doubtful: list[str] = []
        held: list[prune.HeldConversation] = []
        turns = raw_bytes = 0
        chosen = prune.selected(
            self._archive.backend, criteria, lambda one: doubtful.append(one.id)
        )
        for conversation in list(chosen):
            if most is not None and len(gone) >= most:
                break
            if reason := self._archive.backend.hold_on(conversation.id):
                held.append(prune.HeldConversation(conversation.id, reason))
                continue
            if dry_run:
                raw_bytes += self._archive.backend.read(
                    partial(prune.raw_alone, conversation=conversation.id)
                )
            else:
                change, freed = self._archive.backend.write(
                    partial(_remove, conversation=conversation.id)
                )
                if change is None:
                    continue
                raw_bytes += freed
                self._archive.search_engine.on_commit([change])
                if self.keeps_deleted:
                    self._archive.backend.write(
                        partial(_forget_notes, conversation=conversation.id)
                    )
            gone.append(conversation.id)
            turns += conversation.turn_count
        from .old_copies import clean_copies

        left = self._erase(clean_copies(self._archive)) if gone and not dry_run else ()
        return prune.Pruned(tuple(gone), turns, raw_bytes, left, tuple(held), tuple(doubtful))

    def delete(self, only: "tuple[str, ...]") -> "Pruned":
        """Delete conversations by their whole ids; `undelete` brings them back until `gc(compact=True)`.

        On a server they are gone for good at once, as by `prune`. Those under a legal hold stay.
        """
        from . import prune

        if not self.keeps_deleted:
            return self.prune(only=only)
        gone: list[str] = []
        held: list[prune.HeldConversation] = []
        turns = 0
        at = time.time()
        for name in only:
            if reason := self._archive.backend.hold_on(name):
                held.append(prune.HeldConversation(name, reason))
                continue
            change = self._archive.backend.write(partial(_move, conversation=name, at=at))
            if change is None:
                continue
            self._archive.search_engine.on_commit([change])
            gone.append(name)
            turns += change.conversation.turn_count
        return prune.Pruned(tuple(gone), turns, 0, (), tuple(held))

    @property
    def keeps_deleted(self) -> bool:
        """Whether what `delete` takes can come back: in a folder, not on a server."""
        return (self._archive.backend.root / DATA).exists()

    def deleted(self) -> "list[Deleted]":
        """The deleted conversations that can come back, the last deleted first."""
        from . import trash

        return self._archive.backend.read(trash.listed)

    def undelete(self, conversation: str) -> None:
        """Bring a deleted conversation back, with what was said in it since.

        Raises:
            NotFoundError: none of this id can come back.
        """
        self._archive.search_engine.on_commit(
            self._archive.backend.write(partial(_put_back, conversation=conversation))
        )

    def erase_masked(self, clean: Callable[["Archive"], bool]) -> "tuple[LeftBehind, ...]":
        """Let nothing of what was masked stand in free pages, indexes and older copies.

        `clean` masks it in a copy, and says whether it changed anything. Costs O(store).
        """
        from .old_copies import clean_each_copy

        is_file = (self._archive.backend.root / DATA).exists()
        return self._erase(clean_each_copy(self._archive, clean) if is_file else [])

    def _erase(self, left: "list[LeftBehind]") -> "tuple[LeftBehind, ...]":
        """Let nothing of what was removed stand in free pages and indexes; `left` and what failed.

        Indexes are rebuilt: their segments hold the words of what was deleted. On a server, only
        `gc(compact=True)` rewrites the table. Costs O(store).
        """
        from .old_copies import LeftBehind

        try:
            self._empty_trash()
            if (self._archive.backend.root / DATA).exists():
                self._archive.backend.compact()
            self._archive.search_engine.rebuild()
        except ArchiveError as error:
            fix = "free some space, then run `dejavu archive compact`"
            left.append(LeftBehind(self._archive.backend.root, str(error), fix))
        return tuple(left)

    def _empty_trash(self) -> None:
        """Forget what was deleted: whatever compacts the store does it first."""
        from . import trash

        if self.keeps_deleted and self._archive.backend.read(trash.listed):
            self._archive.backend.write(trash.empty)

    def discard(self, conversation: str) -> bool:
        """Take one conversation out, by its whole id; True if it was there.

        For what a better record of the same session has superseded.
        """
        change, _ = self._archive.backend.write(partial(_remove, conversation=conversation))
        if change is not None:
            self._archive.search_engine.on_commit([change])
        return change is not None

    def mask_source(self, key: str, mask: "Mask") -> tuple[str, ...]:
        """Mask secrets in what was read from a source, raw and turns; the conversations changed.

        They do not come back: what is committed from now on is masked as well, whichever source
        holds them. The bytes that were there are gone with the pages they stood on: `gc(compact)`.
        """
        from . import mask as masking

        def change(txn: Writer) -> "list[CommittedChange]":
            meta = log.load_meta(txn)
            return [] if meta is None else masking.mask_source(txn, key, mask, meta)

        changes = self._archive.backend.write(change)
        self._archive.search_engine.on_commit(changes)
        return tuple(change.entry.conversation for change in changes)

    def gc(
        self,
        *,
        compact: bool = False,
        pack_after: float | None = None,
        pack_bytes: int | None = None,
    ) -> GcResult:
        """Free dead readers' places and records nothing leads to; `compact`: free pages too.

        Packs conversations that nothing was added to for `pack_after` days (30), at most
        `pack_bytes` of them (1 GiB). Brings the search indexes that this machine keeps up to date
        besides, the one of exact text included.
        """
        from . import pack

        backend = self._archive.backend
        stale = backend.stale_readers()
        orphans = backend.write(_sweep)
        packed = pack.pack_old(
            backend,
            after=pack.AFTER if pack_after is None else pack_after,
            budget=pack.BUDGET if pack_bytes is None else pack_bytes,
        )
        freed = 0
        left: tuple[LeftBehind, ...] = ()
        if compact:
            from .old_copies import clean_copies

            self._empty_trash()
            left = tuple(clean_copies(self._archive))
            freed = backend.compact()
        if (search := self._archive.search_engine).is_kept:
            if compact:
                search.rebuild()
            search.catch_up()
        return GcResult(orphans, stale, freed, left, packed)


def _remove(txn: Writer, conversation: str) -> "tuple[CommittedChange | None, int]":
    from . import prune

    meta = log.load_meta(txn)
    return (None, 0) if meta is None else prune.remove(txn, conversation, meta)


def _forget_notes(txn: Writer, conversation: str) -> None:
    from . import trash

    trash.forget_notes(txn, conversation)


def _move(txn: Writer, conversation: str, at: float) -> "CommittedChange | None":
    from . import trash

    meta = log.load_meta(txn)
    return None if meta is None else trash.move(txn, conversation, meta, at)


def _put_back(txn: Writer, conversation: str) -> "list[CommittedChange]":
    from . import trash

    meta = log.load_meta(txn)
    if meta is None:
        raise NotFoundError("the archive is empty")
    return trash.restore(txn, conversation, meta, time.time())


def _sweep(txn: Writer) -> int:
    from . import verify

    orphans = list(verify.orphans(txn))
    for table, key in orphans:
        txn.delete(table, key)
    if orphans:
        verify.recount(txn)
    return len(orphans)
