"""Agents: which are installed, where their traces are, and what of them our parsers miss.

An agent is installed if its command is on the PATH, or has left traces if its provider finds any.
Its version is what its traces say; only where asked is the program itself run (`--version`, 5 s).
"""

import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from dejavu.archive.access import open_archive
from dejavu.config.instance import own_instance
from dejavu.config.settings import load_config
from dejavu.ingest.schema_drift import Key, Look, Seen, looks, seen
from dejavu.model import ArchiveError, NotFoundError
from dejavu.providers import PROVIDERS, Home, Provider, search_roots
from dejavu.providers import agents as known_agents
from dejavu.providers.formats.json_lines import UNREADABLE

from .finding import Finding, Grade
from .hooks import hooks
from .retention import retention

_STALE = 86400.0
"""Seconds: traces that were written so long after the last look are worth a word."""

_TOLD = 3  # names of unknown types in a sentence; the facts have all


def agents(*, ask: bool = False) -> Iterator[Finding]:
    """One finding for each agent that is there, then what is wrong with it; `ask` runs it."""
    home = Home.own(own_instance(load_config()))
    looked, known = _archived()
    for agent, entry in sorted(known_agents().items()):
        if not (entry.install or entry.files):
            continue
        program, provider = shutil.which(entry.program), PROVIDERS.get(agent)
        moments = list(_moments(home, provider)) if provider else []
        if program is None and not moments:
            continue
        if provider is None:
            told = f"{program}, no reader for its traces yet: its screen can be kept (--screen)"
            yield Finding(
                subject=agent, grade=Grade.GOOD, told=told, facts={"program": program, "traces": 0}
            )
            continue
        versions = {version: one for (name, version), one in known.items() if name == agent}
        version = _asked(program) if ask and program else _latest(versions)
        yield _there(home, provider, program, version, moments, looked.get(agent))
        yield from _drift(agent, versions)
        yield from hooks(agent, home)
        yield from retention(agent, home, min(moments, default=None))


def _moments(home: Home, provider: Provider) -> Iterator[float]:
    """When each trace was last written."""
    for source in provider.discover(home):
        try:
            yield source.path.stat().st_mtime
        except OSError:
            continue


def _archived() -> tuple[dict[str, Look], dict[Key, Seen]]:
    """What imports noted; nothing where there is no archive (its own check says so)."""
    try:
        with open_archive() as archive:
            return looks(archive), seen(archive)
    except (NotFoundError, ArchiveError):
        return {}, {}


def _there(
    home: Home,
    provider: Provider,
    program: str | None,
    version: str | None,
    moments: list[float],
    look: Look | None,
) -> Finding:
    """Whether it is installed, where its traces are, and when they were last read."""
    folders = sorted(str(path) for path in search_roots(provider, home) if path.exists())
    newest = max(moments, default=None)
    read = look.at if look else None
    facts: dict[str, Any] = {
        "program": program, "version": version, "folders": folders, "traces": len(moments),
        "newest": newest, "last_read": read,
    }  # fmt: skip
    when = "never read" if read is None else f"read {_day(read)}"
    name = f"not installed, last {version}" if version else "not installed"
    if program:
        name = f"{program} {version}" if version else program
    count = f"{len(moments)} trace{'' if len(moments) == 1 else 's'}"
    told = f"{name}; {count} in {', '.join(folders) or 'project folders'}, {when}"
    behind = newest is not None and (read is None or newest > read + _STALE)
    return Finding(
        subject=provider.agent, grade=Grade.NOTE if behind else Grade.GOOD, told=told,
        cure=f"`dejavu sync --agent {provider.agent}` reads them" if behind else "", facts=facts,
    )  # fmt: skip


def _drift(agent: str, versions: dict[str, Seen]) -> Iterator[Finding]:
    """What the agent's traces held that our parsers do not know, and what is new in them."""
    if not versions:
        return
    named = [version for version in versions if version]  # some records come before the first name
    order = sorted(named or versions, key=lambda version: versions[version].first)
    newest = versions[order[-1]]
    fresh = sorted(newest.paths - versions[order[-2]].paths) if len(order) > 1 else []
    counts: Counter[str] = Counter()
    for one in versions.values():
        counts.update(one.unknown)
    lost = counts.pop(UNREADABLE, 0)
    types = {what: n for what, n in counts.items() if " " not in what}
    facts = {
        "version": order[-1], "previous": order[-2] if len(order) > 1 else None,
        "unknown_types": types, "unknown_paths": sorted(what for what in counts if " " in what),
        "new_paths": fresh, "records_lost": lost, "records_degraded": sum(types.values()),
    }  # fmt: skip
    if not (types or lost):
        told = "every record understood"
        if len(order) > 1:
            told += f"; {len(fresh)} new key paths since {order[-2]}"
        yield Finding(subject=f"{agent} format", grade=Grade.GOOD, told=told, facts=facts)
        return
    names = ", ".join(sorted(types, key=lambda what: -types[what])[:_TOLD])
    told = f"{sum(types.values())} records of {len(types)} unknown types ({names}) kept as they are"
    yield Finding(
        subject=f"{agent} format", grade=Grade.NOTE, facts=facts,
        told=f"{told}, {lost} records that are no JSON; their bytes are archived",
        cure="a newer Déjà Vu may know them: `dejavu reparse` reads the archive's own bytes again",
    )  # fmt: skip


def _latest(versions: dict[str, Seen]) -> str | None:
    """The version that wrote last."""
    named = [version for version in versions if version]
    return max(named, key=lambda version: versions[version].last, default=None)


def _asked(program: str) -> str | None:
    """What the program itself says."""
    try:
        done = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=5, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0] if lines else None


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
