"""`dejavu agents`: every agent that is known, what is read of it, and how much of it lies here.

Costs a directory look-up a store and a stat a session file; the archive is asked for the versions
that were imported, where there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.config.clock import now
from dejavu.config.instance import own_instance
from dejavu.config.settings import load_config
from dejavu.ingest.schema_drift import seen_schemas
from dejavu.model import ArchiveError, InvalidValueError, NotFoundError, to_iso
from dejavu.providers import Home
from dejavu.providers import agents as known_agents

from ..agent_inventory import Inventory, inventory, to_dict
from ..filters import did_you_mean
from .output import local_time, one_line, print_json, style

if TYPE_CHECKING:
    import typer

    from . import complete
    from .options import Json

_SOON = 7 * 86400.0


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT", help="Default: all that are known.", autocompletion=complete.agents
        ),
    ] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Only those that left something on this machine.")
    ] = False,
    json: Json = False,
) -> None:
    """List every agent, and how much of it lies here."""
    agents = known_agents()
    for name in names or ():
        if name not in agents:
            near = did_you_mean(name, sorted(agents))
            raise InvalidValueError(f"no agent is called {name!r}{near}")
    home = Home.own(own_instance(load_config()))
    imported = _imported()
    wanted = [agents[name] for name in names] if names else list(agents.values())
    found = [inventory(agent, home, imported.get(agent.name, {})) for agent in wanted]
    found = [one for one in found if one.sessions or not here]
    if json:
        rows = [to_dict(one) for one in found]
        times = ("oldest", "newest", "purge_at")
        print_json([{**row, **{name: to_iso(row[name]) for name in times}} for row in rows])
        return
    _print_table(sorted(found, key=lambda one: not one.sessions), details=bool(names))


def _imported() -> dict[str, dict[str, float]]:
    """The versions of each agent that were imported, and when last."""
    versions: dict[str, dict[str, float]] = {}
    try:
        with open_archive() as archive:
            for (agent, version), schema in seen_schemas(archive).items():
                versions.setdefault(agent, {})[version] = schema.last
    except (NotFoundError, ArchiveError):
        pass  # its own commands say what is wrong with it
    return versions


def _print_table(found: list[Inventory], *, details: bool) -> None:
    print(style(f"{'agent':16} {'here':>8}  {'read by':36} {'tested':12} {'seen':10}", "2"))
    for one in found:
        agent = one.known.agent
        read_by = " ".join(one.known.vectors) or "kept as it is"
        tested = agent.tested or ("" if agent.observed else "described")
        seen = one.versions[-1] if one.versions else ""
        here = str(one.sessions) if one.sessions else "-"
        row = f"{agent.name:16} {here:>8}  {read_by:36} {one_line(tested, 12):12} {one_line(seen, 10)}"
        print(row.rstrip())
        for note in _notes(one, details=details):
            print(f"{'':27}{one_line(note, 200)}")


def _notes(one: Inventory, *, details: bool) -> list[str]:
    """What has to be said beside the row: what will be deleted, and what is not read."""
    agent, notes = one.known.agent, list[str]()
    if one.problem:
        notes.append(f"could not be listed: {one.problem}")
    if one.purge_at is not None and (details or one.purge_at < now() + _SOON):
        notes.append(
            f"deletes its history after {one.retention_days:g} days; the oldest goes by"
            f" {local_time(one.purge_at, '%Y-%m-%d')}"
        )
    if agent.unread and (details or one.sessions):
        notes.append(f"not read: {agent.unread}")
    if details:
        notes += [f"read: {agent.history}"] if agent.history else []
        notes += [f"in {', '.join(one.known.folders)}"] if one.known.folders else []
        notes += [f"resume with: {' '.join(agent.resume)} ID"] if agent.resume else []
    return notes
