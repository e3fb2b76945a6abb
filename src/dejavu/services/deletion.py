"""Deleting conversations as a person asks for it, and bringing them back.

`delete` can be undone until the archive is compacted; what other parts keep of the conversations goes
when it is (`erase_deleted`), or at once with `for_good`. Must not: ask or print.

Tested in: tests/interfaces/cli/test_delete.py
"""

from collections.abc import Sequence

from dejavu.archive import Archive
from dejavu.archive.maintenance.prune import Pruned
from dejavu.model import NotFoundError

from .erase import erase_traces


def delete(archive: Archive, names: Sequence[str], *, for_good: bool = False) -> Pruned:
    """Delete conversations by their whole ids; those under a legal hold stay, and are named."""
    if archive.maintenance.keeps_deleted and not for_good:
        return archive.maintenance.delete(tuple(names))
    natives = {name: archive.summary(name).native_id for name in names}
    natives |= {one.id: one.native_id for one in archive.maintenance.deleted()}
    pruned = archive.maintenance.prune(only=tuple(names))
    gone = {*pruned.conversations, *(natives.keys() - set(names))} if pruned.conversations else ()
    erase_traces(gone, [natives[name] for name in gone])
    return pruned


def undelete(archive: Archive, wanted: Sequence[str]) -> list[str]:
    """Bring conversations back, by id or unique beginning; none named: those last deleted together.

    Raises:
        NotFoundError: none of these can come back; nothing was changed.
    """
    deleted = archive.maintenance.deleted()
    if not deleted:
        raise NotFoundError("no deleted conversation can be brought back")
    names = [one.id for one in deleted if one.at == deleted[0].at]
    if wanted:
        names = [_only([one.id for one in deleted], prefix) for prefix in wanted]
    for name in names:
        archive.maintenance.undelete(name)
    return names


def erase_deleted(archive: Archive) -> None:
    """Remove what other parts keep of deleted conversations; for who compacts the archive next."""
    deleted = archive.maintenance.deleted()
    if deleted:
        erase_traces([one.id for one in deleted], [one.native_id for one in deleted])


def _only(names: Sequence[str], prefix: str) -> str:
    found = sorted({name for name in names if name.startswith(prefix)})
    if len(found) != 1:
        known = ", ".join(dict.fromkeys(names[:3]))
        raise NotFoundError(f"{prefix!r} names no deleted conversation; the last are {known}")
    return found[0]
