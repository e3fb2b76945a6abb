"""Agents: which are installed, where their session files are, what our parsers do not know of them.

An agent is installed if its command is on the PATH. Its version is that in its session files; only
on request is the program itself run (`--version`, 5 s). What `init` and `uninstall` would do to its
settings is tried on a copy. How long an agent keeps its history is said in its folder
(`Agent.retention`); what the archive holds already is no reason to warn. Costs O(session files).
"""

import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from dejavu.archive.access import open_archive
from dejavu.config.clock import now
from dejavu.config.files import read_regular_file
from dejavu.config.settings import load_config, own_instance
from dejavu.ingest.source_failures import Key, LastScan, SeenSchema, last_scans, seen_schemas
from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.registration import Edit, edits
from dejavu.model import ArchiveError, NotFoundError
from dejavu.model.plural import counted
from dejavu.providers import INTEGRATIONS, PROVIDERS, Home, Provider, Source, search_roots
from dejavu.providers import agents as known_agents
from dejavu.providers.formats.json_lines import UNREADABLE
from dejavu.providers.registry import may_be_in
from dejavu.scrapers import default_packs

from ..agent_inventory import Inventory, inventory
from .finding import Finding, Severity

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
            message = f"{program}; its files cannot be read yet, `dejavu-run --screen` captures it"
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
        yield from _rules_age(agent, version or "")
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
            fix="make its folder readable for you",
        )  # fmt: skip
    when = "never read" if read is None else f"read {_minute(read)}"
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


def _rules_age(agent: str, version: str) -> Iterator[Finding]:
    """Whether the agent is newer than the rules that its screen is read by."""
    packs = default_packs()
    if agent not in packs or not packs[agent].is_older_than(version):
        return
    newest = packs[agent].newest_seen
    yield Finding(
        subject=f"{agent} rules", severity=Severity.OK, facts={"version": version, "newest": newest},
        message=f"{version} is newer than the screen rules, last checked with {newest}: "
        "`idle` read by them alone is reported one second late",
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


def _minute(timestamp: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(timestamp))


def hooks(agent: str, home: Home) -> Iterator[Finding]:
    """Yield one finding for an agent that can be registered with."""
    if agent not in INTEGRATIONS:
        return
    present: list[str] = []
    stale: list[str] = []
    unreadable: list[str] = []
    for edit in edits(agent, home):
        try:
            registered, current = _registration(edit)
        except (UnreadableFileError, OSError, UnicodeDecodeError) as error:
            unreadable.append(f"{edit.path}: {error}")
            continue
        if registered:
            present.append(f"{edit.what} in {edit.path}")
            stale += [] if current else [str(edit.path)]
    facts = {
        "installed": bool(present),
        "entries": present,
        "stale": stale,
        "unreadable": unreadable,
    }
    if unreadable or stale:
        message = (
            f"cannot be read: {unreadable[0]}"
            if unreadable
            else f"out of date in {', '.join(stale)}"
        )
        fix = "fix the file" if unreadable else f"`dejavu init --upgrade` or `dejavu init {agent}`"
        severity = Severity.WARNING
    else:
        message, fix, severity = "; ".join(present), "", Severity.OK
    message = message or f"not registered; `dejavu init {agent}` registers them"
    yield Finding(
        subject=f"{agent} hooks", severity=severity, message=message, fix=fix, facts=facts
    )


def _registration(edit: Edit) -> tuple[bool, bool]:
    """Whether an entry of ours is in the file, and whether it is what we would write today."""
    text = read_regular_file(edit.path).decode("utf-8") if edit.path.exists() else ""
    registered = bool(text) and edit.remove(text, "") != text
    return registered, registered and edit.add(text) == text


_DAY = 86400.0
_SOON = 7 * _DAY


def retention(found: Inventory) -> Iterator[Finding]:
    """Yield at most one finding."""
    agent, days, due = found.known.agent.name, found.retention_days, found.purge_at
    if days is None or due is None:
        return
    at = now()
    soon = _due_before(found, days, at + _SOON)
    missing = _not_archived(soon) if soon else []
    message = f"deletes sessions after {days:g} days"
    if not soon:
        message += f"; the oldest is due on {_day(due)}"
    elif not missing:
        message += "; those due within a week are archived"
    else:
        first = min(missing)
        when = f"on {_day(first)}" if first > at else "at any time"
        files = "1 file" if len(missing) == 1 else f"{len(missing)} files"
        message += f"; {files} not archived yet, due {when}"
    yield Finding(
        subject=f"{agent} retention",
        severity=Severity.WARNING if missing else Severity.OK,
        message=message,
        fix=f"`dejavu sync --agent {agent}` archives them" if missing else "",
        facts={"days": days, "oldest_due": due, "not_archived": len(missing)},
    )


def _due_before(found: Inventory, days: float, limit: float) -> list[tuple[Source, float]]:
    """The sources that the agent deletes before `limit`, and when."""
    due: list[tuple[Source, float]] = []
    for source in found.sources:
        with suppress(OSError):
            moment = source.path.stat().st_mtime + days * _DAY
            if moment < limit:
                due.append((source, moment))
    return due


def _not_archived(due: list[tuple[Source, float]]) -> list[float]:
    """When those of `due` go of which the archive holds nothing."""
    try:
        with open_archive() as archive, archive.views.shared():
            return [moment for source, moment in due if not archive.sources.knows(source.key)]
    except (NotFoundError, ArchiveError):  # the archive's own check says so
        return [moment for _, moment in due]


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
