"""Agents: which are installed, where their session files are, what our parsers do not know of them.

An agent is installed if its command is on the PATH. Its version is that in its session files; only
on request is the program itself run (`--version`, 5 s). Costs O(session files).
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
from dejavu.ingest.schema_drift import Key, LastScan, SeenSchema, last_scans, seen_schemas
from dejavu.model import ArchiveError, NotFoundError
from dejavu.model.plural import counted
from dejavu.providers import PROVIDERS, Home, Provider, search_roots
from dejavu.providers import agents as known_agents
from dejavu.providers.formats.json_lines import UNREADABLE
from dejavu.providers.registry import may_be_in

from ..agent_inventory import Inventory, inventory
from .finding import Finding, Severity
from .hooks import hooks
from .retention import retention

_STALE = 86400.0
"""Seconds; session files written so long after the last import are a warning."""

_MAX_NAMES = 3  # unknown types in a sentence; the facts have all


def agents(*, ask: bool = False) -> Iterator[Finding]:
    """Yield a finding for each agent found, then what is wrong with it; `ask` runs its program."""
    home = Home.own(own_instance(load_config()))
    last_scans, observed = _import_records()
    for agent, entry in sorted(known_agents().items()):
        if not (entry.install or entry.files or entry.store):
            continue
        program, here = shutil.which(entry.program), may_be_in(entry, home)
        if program is None and not here:
            continue
        provider = PROVIDERS.get(agent)
        if provider is None:
            message = f"{program}, its session files cannot be read yet; `dejavu-run --screen` captures it"
            yield Finding(
                subject=agent,
                severity=Severity.OK,
                message=message,
                facts={"program": program, "traces": 0},
            )
            continue
        versions = {
            version: observation
            for (name, version), observation in observed.items()
            if name == agent
        }
        found = inventory(entry, home, {name: schema.last for name, schema in versions.items()})
        if program is None and not found.sources and not found.problem:
            continue
        version = _program_version(program) if ask and program else _latest(versions)
        yield _agent_finding(home, provider, program, version, found, last_scans.get(agent))
        yield from _drift(agent, versions)
        yield from hooks(agent, home)
        yield from retention(found)


def _import_records() -> tuple[dict[str, LastScan], dict[Key, SeenSchema]]:
    """What imports recorded; nothing where there is no archive (its own check says so)."""
    try:
        with open_archive() as archive:
            return last_scans(archive), seen_schemas(archive)
    except (NotFoundError, ArchiveError):
        return {}, {}


def _agent_finding(
    home: Home,
    provider: Provider,
    program: str | None,
    version: str | None,
    found: Inventory,
    look: LastScan | None,
) -> Finding:
    """Whether it is installed, where its session files are, and when they were last read."""
    folders = sorted(str(path) for path in search_roots(provider, home) if path.exists())
    newest, agent = found.newest, found.known.agent
    read = look.at if look else None
    facts: dict[str, Any] = {
        "program": program, "version": version, "folders": folders, "traces": found.sessions,
        "newest": newest, "last_read": read, "bytes": found.size, "vectors": list(found.known.vectors),
        "tested_version": agent.tested or None, "observed": agent.observed,
        "not_read": agent.unread or None,
    }  # fmt: skip
    if found.problem:
        problem = f"its sessions could not be listed: {found.problem}"
        return Finding(
            subject=provider.agent, severity=Severity.ERROR, message=problem, facts=facts,
            fix="see that its folder may be read",
        )  # fmt: skip
    when = "never read" if read is None else f"read {_day(read)}"
    name = f"not installed, last {version}" if version else "not installed"
    if program:
        name = f"{program} {version}" if version else program
    count = f"{found.sessions} session{'' if found.sessions == 1 else 's'}"
    message = f"{name}; {count} in {', '.join(folders) or 'project folders'}, {when}"
    if found.sources and agent.unread:
        message += f"; not read: {agent.unread}"
    behind = newest is not None and (read is None or newest > read + _STALE)
    return Finding(
        subject=provider.agent, severity=Severity.WARNING if behind else Severity.OK, message=message,
        fix=f"`dejavu sync --agent {provider.agent}` imports them" if behind else "", facts=facts,
    )  # fmt: skip


def _drift(agent: str, versions: dict[str, SeenSchema]) -> Iterator[Finding]:
    """What the agent's files held that our parsers do not know, and what is new in them."""
    if not versions:
        return
    named = [version for version in versions if version]  # some records come before the first name
    order = sorted(named or versions, key=lambda version: versions[version].first)
    newest = versions[order[-1]]
    fresh = sorted(newest.paths - versions[order[-2]].paths) if len(order) > 1 else []
    counts: Counter[str] = Counter()
    for observation in versions.values():
        counts.update(observation.unknown)
    lost = counts.pop(UNREADABLE, 0)
    types = {what: n for what, n in counts.items() if " " not in what}
    facts = {
        "version": order[-1], "previous": order[-2] if len(order) > 1 else None,
        "unknown_types": types, "unknown_paths": sorted(what for what in counts if " " in what),
        "new_paths": fresh, "records_lost": lost, "records_degraded": sum(types.values()),
    }  # fmt: skip
    if not (types or lost):
        message = "every record is understood"
        if len(order) > 1:
            message += f"; {len(fresh)} new key paths since {order[-2]}"
        yield Finding(subject=f"{agent} format", severity=Severity.OK, message=message, facts=facts)
        return
    problems: list[str] = []
    if types:
        names = ", ".join(sorted(types, key=lambda what: -types[what])[:_MAX_NAMES])
        kinds = counted(len(types), "unknown type")
        count = f"{counted(sum(types.values()), 'record')} of {kinds} ({names})"
        problems.append(f"{count} kept unparsed")
    if lost:
        problems.append(f"{lost} records that are not JSON")
    yield Finding(
        subject=f"{agent} format", severity=Severity.WARNING, facts=facts,
        message=f"{', '.join(problems)}; their bytes are archived",
        fix="update Déjà Vu, then `dejavu archive reparse` reads the archived bytes again",
    )  # fmt: skip


def _latest(versions: dict[str, SeenSchema]) -> str | None:
    """The version that wrote last."""
    named = [version for version in versions if version]
    return max(named, key=lambda version: versions[version].last, default=None)


def _program_version(program: str) -> str | None:
    """The first line of `PROGRAM --version`."""
    try:
        completed = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=5, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = completed.stdout.strip().splitlines()
    return lines[0] if lines else None


def _day(timestamp: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(timestamp))
