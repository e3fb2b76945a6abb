"""Stores with files from which no parser took a conversation: found, and kept as they are.

The one judge of "was anything left behind": `sync --final`, `rescue` and `dejavu doctor` ask here.
Silent are the stores that no version reads yet, a session file of which nothing was understood, a
database that cannot be read, and files that look like conversations where an agent gave none at all.
A file that was understood and holds nothing, or that its agent keeps for another purpose, is not.

`silent_stores` only reads; `keep_silent` archives the bytes of what has no raw yet. Costs two look-ups in
the archive for each source of a home, and a reading of the raw of those without a conversation.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.model import NotFoundError, RawDelta, Role, UnreadableSessionError, Vector
from dejavu.providers import Cursor, Home, Kind, Provider, Source
from dejavu.providers.follow.append import open_plain
from dejavu.providers.follow.opaque import follow_opaque
from dejavu.providers.registry import PROVIDERS, agents, providers_in
from dejavu.providers.store_provider import KeptParser
from dejavu.providers.unlisted_files import has_roles, holds_talk, unlisted_files
from dejavu.providers.unread_stores import known_unread, unread_stores

from .channel import Channel, replay
from .copies import is_copy
from .importer import Importer

KEPT = 32_000_000
"""Bytes of a file that is archived as it is; a larger one is only named."""

_HEAD = 1 << 16  # bytes of a file that are looked at
_TURNS = 200  # of a conversation without a prompt that are looked at
_SAID = (Role.USER, Role.ASSISTANT)


class SilentStore(NamedTuple):
    """A file that gave no conversation, whose it is, and why."""

    agent: str
    path: Path
    reason: str
    kept: bool = False
    """Whether its bytes are in the archive, as far as they can be."""
    outcome: str = ""
    """What became of its bytes, where it was tried to keep them."""

    @property
    def told(self) -> str:
        """The sentence for people."""
        return f"{self.reason}; {self.outcome}" if self.outcome else self.reason


def silent_stores(
    archive: Archive | None, home: Home, agent: str | None = None, *, synced: bool = False
) -> Iterator[SilentStore]:
    """What gave no conversation below `home` (of one `agent` only, where named), each file once.

    Without an archive, or for sources that it never read, only files are named that no sync would read;
    `synced`: all were read just now, so what has no raw could not be read.
    """
    for one, path in unread_stores(home):
        if agent in (None, one.name):
            reason = f"history of {one.title}, kept as it is: this version does not read it"
            yield SilentStore(one.name, path, reason, kept=True)
    unread = {one.name for one in known_unread()}
    for provider in providers_in(home):
        if agent in (None, provider.agent) and provider.agent not in unread:
            yield from _silent_in(archive, provider, home, synced=synced)


def keep_silent(archive: Archive, home: Home, stores: Iterable[SilentStore]) -> list[SilentStore]:
    """Archive the bytes of those that are not kept yet; all of them, each with its outcome.

    Raises:
        ArchiveError: they could not be stored (locked, disk full, damaged).
    """
    told: list[SilentStore] = []
    with Importer(archive, ()) as importer:
        for store in stores:
            if store.kept:
                told.append(store)
                continue
            name = store.path.relative_to(home.path) if _is_below(store.path, home) else store.path
            source = Source(
                store.agent, store.path, home.instance, Kind.DATABASE, None, home.workspace,
                f"kept:{name}",
            )  # fmt: skip
            before = len(importer.report.unreadable)
            importer.read(_KeptFiles(PROVIDERS[store.agent], home), source)
            problems = importer.report.unreadable[before:]
            outcome = problems[0][1] if problems else "its bytes are archived as they are"
            told.append(store._replace(outcome=outcome, kept=not problems))
    return told


class _KeptFiles:
    """The provider of files that are archived as they are."""

    def __init__(self, provider: Provider, home: Home) -> None:
        self.agent = provider.agent
        self._roots = provider.roots(home)

    def roots(self, home: Home) -> tuple[Path, ...]:  # noqa: ARG002 - those of one home
        """The folders of the agent."""
        return self._roots

    def discover(self, home: Home) -> Iterator[Source]:  # noqa: ARG002 - a file is handed over
        """None."""
        return iter(())

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """The whole file, if it changed."""
        if source.path.stat().st_size > KEPT:
            raise UnreadableSessionError(
                f"it is larger than {KEPT // 1_000_000} MB, so its bytes are not archived"
            )
        return follow_opaque(source.path, since, damaged=True)

    def parser(
        self,
        source: Source,
        state: bytes | None = None,  # noqa: ARG002 - there is nothing to remember
        *,
        restart: bool = False,  # noqa: ARG002 - as above
    ) -> KeptParser:
        """One that says nothing."""
        return KeptParser(source, {})


def _is_below(path: Path, home: Home) -> bool:
    return path.is_relative_to(home.path)


def _silent_in(
    archive: Archive | None, provider: Provider, home: Home, *, synced: bool
) -> Iterator[SilentStore]:
    title = agents()[provider.agent].title
    try:
        sources = [one for one in provider.discover(home) if home.holds(one.path)]
    except Exception:
        return  # the import names what failed
    if archive is None and sources:
        return  # what comes of them is not known yet
    silent = [one for one in sources if archive is not None and not _has_words(archive, one)]
    # A database is judged as a whole: an empty session in it is an ordinary thing.
    told = {one.path for one in sources if one.kind is Kind.DATABASE and one not in silent}
    for source in silent:
        if archive is None or source.path in told:
            continue
        reason = _why_silent(archive, source, title)
        if not reason and synced and _is_unread(archive, source):
            reason = f"nothing in it could be read as a conversation of {title}"
        if reason:
            told.add(source.path)
            kept = _is_kept(archive, source)
            yield SilentStore(provider.agent, source.path, reason, kept)
    if len(silent) == len(sources):
        for path in filter(
            home.holds, unlisted_files(provider, home, {one.path for one in sources})
        ):
            yield SilentStore(
                provider.agent, path, f"no conversation of {title} was found in this file"
            )


def _why_silent(archive: Archive, source: Source, title: str) -> str:
    """Why a source without a conversation is one to be named; empty where it is not."""
    size, database = archive.sources.raw_length(source.key), source.kind is Kind.DATABASE
    try:
        if size > KEPT:
            return f"this version finds no conversation of {title} in it"
        if size and replay(archive, Channel(Vector.NATIVE, source))[0].drift:
            return f"this version understands none of its records as a conversation of {title}"
        raw = next(iter(archive.sources.raw(source.key)), b"") if size and not database else b""
        if has_roles(raw):
            return f"this version finds no prompt or answer of {title} in it"
        if database and holds_talk(source.path):
            return f"this version finds no conversation of {title} in this database"
    except OSError:
        return ""
    except Exception as error:  # whatever a parser raises: nothing was understood
        return f"its records are not understood ({error})"
    return ""  # it holds nothing, or the import names what failed


def _is_kept(archive: Archive, source: Source) -> bool:
    """Whether the raw of a source is all of its file, byte for byte."""
    try:
        size = source.path.stat().st_size
    except OSError:
        return True  # there is nothing left to keep
    return source.kind is not Kind.DATABASE and archive.sources.raw_length(source.key) == size


def _is_unread(archive: Archive, source: Source) -> bool:
    """Whether a file has bytes that a sync left where they are."""
    if (
        archive.sources.raw_length(source.key)
        or source.kind is Kind.DATABASE
        or is_copy(archive, source)
    ):
        return False
    try:
        with os.fdopen(open_plain(source.path), "rb") as file:
            return bool(file.read(_HEAD).strip(b"\0 \t\r\n"))
    except (OSError, UnreadableSessionError):
        return False  # the import names it


def _has_words(archive: Archive, source: Source) -> bool:
    """Whether a prompt or an answer came of a source, in whichever form it is."""
    keys = [source.key, *(f"{source.key}.{kind}" for kind in Kind if kind is not Kind.SIDE_FILE)]
    names = (name for key in keys for name in archive.sources.conversations(key))
    return any(_is_said(archive, name) for name in names)


def _is_said(archive: Archive, conversation: str) -> bool:
    try:
        if archive.first_prompt(conversation):
            return True
        turns = islice(archive.turns(conversation), _TURNS)
        return any(turn.role in _SAID and turn.parts for turn in turns)
    except NotFoundError:
        return False
