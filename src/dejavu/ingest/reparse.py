"""Reading the archive's own raw again, with today's parsers.

Every conversation gets the turns that a fresh parse finds: of session logs first, then of what
streams, hooks, telemetry and the wire hold, merged with them. No agent's file is looked at: the
raw bytes kept are the system of record. O(raw bytes); one source at a time.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec

from dejavu.archive import Archive, Batch
from dejavu.model import (
    ArchiveError,
    HiddenTurnsError,
    NotFoundError,
    Role,
    Turn,
    TurnUpdate,
    Vector,
)
from dejavu.model.conversation import exchanges
from dejavu.providers import Kind
from dejavu.providers.imports import import_provider

from .channel import Channel, load_session_log, merged_channels, replay
from .import_lock import ImportLock
from .merge.arbitrate import is_sole_source, merge_vectors
from .merge.merge_turns import merge_turns, normalise
from .rewrite import RetainedTurn, encode_state, is_retained, merge
from .source_failures import describe


@dataclass(slots=True)
class ReparseReport:
    """Sources read again, conversations whose turns changed, sources left alone or failed."""

    sources: int = 0
    changed: set[str] = field(default_factory=set[str])
    left: list[str] = field(default_factory=list[str])
    failed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Sources whose parser failed, and why; their turns stay as they were."""


def reparse(
    archive: Archive,
    *,
    only: Collection[str] | None = None,
    merge_again: Collection[str] = (),
    progress: Callable[[str], None] = lambda _: None,
    clock: Callable[[], float] = time.time,
) -> ReparseReport:
    """Parse the raw of every source (or of those in `only`) again and keep what comes out.

    merge_again: conversations whose other vectors are merged with them whatever else changed.
    """
    report = ReparseReport()
    left: dict[str, None] = {}
    for key in archive.sources.all_keys() if only is None else only:
        progress(key)
        source = load_session_log(archive, key)
        if source is None or import_provider(source.agent) is None:
            left[key] = None
            continue
        if source.kind is Kind.SIDE_FILE:
            continue  # it is read with the log that points to it
        channel = Channel(Vector.NATIVE, source)
        with ImportLock(archive.root):  # a sync would move on from what is parsed here
            _bounded(report, channel, partial(_reparse_log, archive, channel))
        report.sources += 1
    for summary in list(archive.scan()):
        if only is not None and summary.id not in {*report.changed, *merge_again}:
            continue
        if shared := _refusal(archive, summary.id):
            report.failed.append((summary.id, shared))
            continue
        channels = merged_channels(archive, summary.id)
        for channel in channels:
            if channel.key in left:
                progress(channel.key)
                del left[channel.key]
                report.sources += 1
        if channels:
            work = partial(_merge_again, archive, summary.id, channels, clock)
            _bounded(report, channels[0], work)
    report.left = list(left)
    return report


def _refusal(archive: Archive, conversation: str) -> str:
    """Why this login is not given the raw of a conversation; empty where it is."""
    try:
        archive.sources.refuse_hidden(conversation)
    except HiddenTurnsError as error:
        return str(error).removeprefix(f"{conversation}: ")
    return ""


def _bounded(report: ReparseReport, channel: Channel, work: Callable[[], set[str]]) -> None:
    """Do the work on one source; what it raises is that source's failure."""
    try:
        report.changed |= work()
    except ArchiveError:
        raise
    except Exception as error:
        report.failed.append((str(channel.source.path), describe(error)))


def _merge_again(
    archive: Archive, conversation: str, channels: list[Channel], clock: Callable[[], float]
) -> set[str]:
    """Merge what several sources hold of a conversation; what changed."""
    if not is_sole_source(archive, conversation, channels[0]):
        before = archive.get(conversation).turns
        merge_vectors(archive, conversation, clock=clock)
        return {conversation} if archive.get(conversation).turns != before else set()
    with ImportLock(archive.root):
        update = replay(archive, channels[0])[1].get(conversation)
        if update is None:
            return set()
        captured = archive.summary(conversation).captured_at
        given = msgspec.structs.replace(update.conversation, captured_at=captured)
        change = TurnUpdate(given, 0, update.turns, channels[0].key)
        return set(archive.commit(Batch(updates=[change])).changed)


def _reparse_log(archive: Archive, channel: Channel) -> set[str]:
    """Parse one session log's raw; the conversations that changed."""
    key = channel.key
    parser, latest = replay(archive, channel)
    updates: list[TurnUpdate] = []
    retained: dict[str, tuple[RetainedTurn, ...]] = {}
    for name, update in latest.items():
        try:
            stored = tuple(_shared(archive.turns(name), update.turns))
            merged = merged_channels(archive, name)
        except NotFoundError:
            stored, merged = (), []
        if any(one.vector is Vector.NATIVE for one in merged):
            continue  # its other form is merged with it
        turns, retained[name] = merge(stored, _with_others(stored, update.turns), is_retained)
        updates.append(TurnUpdate(update.conversation, 0, turns, key))
    states = {key: encode_state(parser.state(), retained)}
    return set(archive.commit(Batch(updates=updates, states=states)).changed)


def _shared(stored: Iterable[Turn], fresh: Sequence[Turn]) -> Iterator[Turn]:
    """The stored turns; those that were parsed alike as the parsed ones, so that none is held twice."""
    for turn in stored:
        yield fresh[turn.seq] if turn.seq < len(fresh) and fresh[turn.seq] == turn else turn


def _with_others(stored: tuple[Turn, ...], fresh: Sequence[Turn]) -> Sequence[Turn]:
    """The turns parsed again, and what only another vector had seen of the conversation."""
    stored = tuple(turn for turn in stored if not is_retained(turn))
    if all(turn.vector is Vector.NATIVE for turn in stored):
        return fresh
    # Exchanges that were parsed again say where the others belong; of the rest only what another
    # vector saw is kept: what an older parser took for a prompt is not.
    prompts = {normalise(turn.text) for turn in fresh if turn.role is Role.USER}
    anchored = [
        turn
        for exchange in exchanges(stored)
        if normalise(exchange[0].text) in prompts
        or any(turn.vector is not Vector.NATIVE for turn in exchange)
        for turn in exchange
    ]
    return merge_turns(fresh, anchored)[0]
