"""What of each agent is on this machine: its session files, their age, and what threatens them.

Costs a directory look-up a store and a stat a session file; no session file is opened, and
nothing is written.

Tested in: tests/interfaces/doctor/test_retention.py
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.archive.access import open_archive
from dejavu.config.clock import now
from dejavu.config.settings import load_config, own_instance
from dejavu.ingest.source_failures import seen_schemas
from dejavu.model import ArchiveError, NotFoundError, ProviderError
from dejavu.model.timestamps import known_time
from dejavu.providers import PROVIDERS, RETENTION, Home, Source
from dejavu.providers.agent import Agent
from dejavu.providers.overview import Overview, overview
from dejavu.providers.registry import may_be_in

_DAY = 86400.0
_SOON = 7 * _DAY


class Inventory(NamedTuple):
    """One agent as it is known, and what is here of it. Times are Unix seconds."""

    known: Overview
    sources: tuple[Source, ...]
    size: int
    oldest: float | None
    newest: float | None
    retention_days: float | None
    versions: tuple[str, ...]
    """Versions whose files were imported, the newest last."""
    problem: str
    """Why its files could not be listed."""

    @property
    def sessions(self) -> int:
        """How many sessions lie here."""
        return len(self.sources)

    @property
    def purge_at(self) -> float | None:
        """When the agent itself deletes the oldest of what is here; None for never."""
        if self.retention_days is None or self.oldest is None:
            return None
        return self.oldest + self.retention_days * _DAY


def inventory(agent: Agent, home: Home, versions: Mapping[str, float]) -> Inventory:
    """What is below `home` of an agent; `versions` are those imported, and when last."""
    sources, problem = list[Source](), ""
    provider = PROVIDERS[agent.name] if may_be_in(agent, home) else None
    try:
        for source in provider.discover(home) if provider else ():
            sources.append(source)
    except (OSError, ProviderError) as error:
        problem = str(error)
    size, times = _sizes({source.path for source in sources})
    days = RETENTION[agent.name](home) if agent.name in RETENTION else None
    seen = tuple(sorted(filter(None, versions), key=lambda version: versions[version]))
    oldest, newest = min(times, default=None), max(times, default=None)
    return Inventory(overview(agent), tuple(sources), size, oldest, newest, days, seen, problem)


def inventories(agents: Iterable[Agent]) -> list[Inventory]:
    """What is in the user's own home of each agent, with the versions that were imported."""
    home = Home.own(own_instance(load_config()))
    versions: dict[str, dict[str, float]] = {}
    try:
        with open_archive() as archive:
            for (agent, version), schema in seen_schemas(archive).items():
                versions.setdefault(agent, {})[version] = schema.last
    except (NotFoundError, ArchiveError):
        pass  # its own commands say what is wrong with it
    return [inventory(agent, home, versions.get(agent.name, {})) for agent in agents]


def read_by(one: Inventory) -> str:
    """The ways in which the agent is read."""
    return " ".join(one.known.vectors) or "kept as it is"


def tested(one: Inventory) -> str:
    """The version it was tested with; `described` of one that was never run."""
    agent = one.known.agent
    return agent.tested or ("" if agent.observed else "described")


def notes(one: Inventory, *, details: bool) -> list[str]:
    """What has to be said besides the figures: what will be deleted, and what is not read."""
    agent, sentences = one.known.agent, list[str]()
    if one.problem:
        sentences.append(f"could not be listed: {one.problem}")
    if one.purge_at is not None and (details or one.purge_at < now() + _SOON):
        known = known_time(one.purge_at)
        day = ""
        if known:
            day = f"; the oldest goes by {datetime.fromtimestamp(known).astimezone():%Y-%m-%d}"
        sentences.append(f"deletes its history after {one.retention_days:g} days{day}")
    if agent.unread and (details or one.sessions):
        sentences.append(f"not read: {agent.unread}")
    if details:
        sentences += [f"read: {agent.history}"] if agent.history else []
        sentences += [f"in {', '.join(one.known.folders)}"] if one.known.folders else []
        sentences += [f"resume with: {' '.join(agent.resume)} ID"] if agent.resume else []
    return sentences


def _sizes(paths: set[Path]) -> tuple[int, list[float]]:
    """The bytes of all files, and when each was last written; a database counts once."""
    size, times = 0, list[float]()
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        size += status.st_size
        times.append(status.st_mtime)
    return size, times


def to_dict(one: Inventory) -> dict[str, Any]:
    """The same for programs."""
    agent = one.known.agent
    return {
        "agent": agent.name,
        "title": agent.title,
        "vectors": list(one.known.vectors),
        "folders": list(one.known.folders),
        "moved_by": list(one.known.moved_by),
        "history": agent.history or None,
        "not_read": agent.unread or None,
        "observed": agent.observed,
        "tested_version": agent.tested or None,
        "seen_versions": list(one.versions),
        "sessions": one.sessions,
        "bytes": one.size,
        "oldest": one.oldest,
        "newest": one.newest,
        "retention_days": one.retention_days,
        "purge_at": one.purge_at,
        "resume": list(agent.resume) or None,
        "problem": one.problem or None,
    }
