"""Repair of a damaged archive: what is sound is kept, what can be is read again.

A damaged conversation is parsed again from its raw in the archive, or read again from its agent's
own file where that is still there; of any other, what can be read is kept. Secrets that were masked
(`archive.withheld`) are masked again in what is read. Costs O(archive), twice, and the raw of the
damaged conversations.
"""

from pathlib import Path
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.archive.access import open_archive
from dejavu.archive.maintenance.repair import Repaired
from dejavu.archive.maintenance.repair import repair as rebuild_store
from dejavu.archive.maintenance.salvage import DAMAGED, UNKNOWN, salvage_from
from dejavu.archive.withheld import NAMESPACE, restore_digests
from dejavu.config.paths import archive_location
from dejavu.model import AT_END, TurnUpdate
from dejavu.providers import PROVIDERS

from .channel import SOURCES, decode_session_log, load_session_log
from .importer import Importer
from .lost_records import restore_lost
from .reparse import reparse


class RepairResult(NamedTuple):
    """What became of the damaged conversations, by id, and where the old archive is.

    `partly`: how many turns of a conversation are lost, None where that is unknown. `lost` names
    small records that are gone (memories and the like), `faults` how many faults there were. With
    `pages_lost`, conversations may be missing that nothing names any more: `turns_lost` of the
    `turns` that the archive held, None where it is unknown how many those were. `unmasked`: it may
    be lost which secrets were masked, so that what is read from agents' own files has them again.
    """

    brought_back: tuple[str, ...]
    partly: dict[str, int | None]
    gone: tuple[str, ...]
    lost: tuple[str, ...]
    faults: int
    pages_lost: bool
    aside: Path | str | None
    turns: int | None = None
    turns_lost: int | None = None
    unmasked: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the archive holds all that it held before the damage."""
        return not (self.partly or self.gone or self.lost or self.pages_lost)


def repair() -> RepairResult:
    """Repair this user's archive; the damaged one is moved aside.

    Raises:
        NotFoundError: there is none.
        ArchiveError: it cannot be written, or is of another format.
    """
    done = rebuild_store(archive_location(), parseable=SOURCES, is_readable=_is_readable)
    faults = len(done.report.faults) + done.report.uncounted
    if done.aside is None:
        return RepairResult((), {}, (), (), 0, False, None)
    damaged = set(done.report.damaged)
    with open_archive(write=True) as archive:
        _withhold_again(archive, done)
        changed = _read_again(archive, done)
        there = {summary.id for summary in archive.scan()}
        unread = set(done.stateless) - set(done.rereadable)
        stateless = {name for key in unread for name in archive.sources.conversations(key)}
        partly: dict[str, int | None] = dict.fromkeys((damaged | changed) & there & stateless)
        partly |= {
            identity: turns
            for identity, turns in done.salvaged.items()
            if _is_partial(archive, identity)
        }
        if isinstance(done.aside, Path) and (left := damaged - there):
            for salvaged in salvage_from(done.aside, sorted(left)):
                archive.commit(Batch(updates=[salvaged.update]))
                partly[salvaged.conversation.id] = salvaged.lost
                there.add(salvaged.conversation.id)
        stored = sum(summary.turn_count for summary in archive.scan())
        lost = restore_lost(archive, done.lost)
    # More than it said it held: it is an older commit that said so, or session files have grown.
    missing = None if done.turns is None or done.turns < stored else done.turns - stored
    return RepairResult(
        tuple(sorted((damaged & there) - set(partly))),
        partly,
        tuple(sorted(damaged - there)),
        lost,
        faults,
        done.report.damaged_pages > 0 and missing != 0,
        done.aside,
        done.turns,
        missing,
        # With pages, records may be gone that nothing names; the turns counted do not tell.
        unmasked=done.report.damaged_pages > 0,
    )


def _withhold_again(archive: Archive, done: Repaired) -> None:
    """Let what was masked stay masked in what is read now, and in later syncs."""
    prefix = f"{NAMESPACE}: "
    lost = [name.removeprefix(prefix).encode() for name in done.lost if name.startswith(prefix)]
    archive.namespace(NAMESPACE).change(lambda txn: restore_digests(txn, lost))


def _is_readable(record: bytes) -> bool:
    """Whether a session log is still where it was."""
    source = decode_session_log(record)
    return source.agent in PROVIDERS and source.path.exists()


def _read_again(archive: Archive, done: Repaired) -> set[str]:
    """Bring back what was left out of the new store, and what other vectors had of it.

    Return the conversations that raw in the archive gave other turns.
    """
    changed = reparse(archive, only=done.sources).changed
    with Importer(archive, done.rereadable) as importer:
        for key in done.rereadable:
            source = load_session_log(archive, key)
            if source is not None:
                importer.read(PROVIDERS[source.agent], source)
    there = {summary.id for summary in archive.scan()}
    for key, conversations in done.links.items():
        archive.commit(Batch(links={key: conversations & there}))
    reparse(archive, only=(), merge_again=set(done.report.damaged) & there)
    reread = {name for key in done.rereadable for name in archive.sources.conversations(key)}
    for before in done.summaries:
        if before.id in there - reread:  # some of it does not stand in the raw
            now = archive.summary(before.id)
            kept = msgspec.structs.replace(
                now, title=before.title or now.title, captured_at=before.captured_at
            )
            archive.commit(Batch(updates=[TurnUpdate(kept, AT_END, ())]))
    return changed


def _is_partial(archive: Archive, identity: str) -> bool:
    """Whether turns, or what is known of the conversation, are still missing."""
    stored = archive.get(identity)
    return stored.agent == UNKNOWN or any(turn.meta.get(DAMAGED) for turn in stored.turns)
