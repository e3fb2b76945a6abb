"""`dejavu doctor --agents`: every agent that is known, what is read of it, and how much of it is here.

Costs a directory look-up a store and a stat a session file; the archive is asked for the versions
that were imported, where there is one.
"""

from collections.abc import Sequence

from dejavu.model import InvalidValueError, to_iso
from dejavu.providers import agents as known_agents

from ..agent_inventory import Inventory, inventories, notes, read_by, tested, to_dict
from ..filters import did_you_mean
from .output import one_line, print_list, style


def print_agents(names: Sequence[str] | None, *, here: bool, json: bool) -> None:
    """List supported agents and their conversations on this machine.

    Raises:
        InvalidValueError: no agent has that name.
    """
    agents = known_agents()
    for name in names or ():
        if name not in agents:
            near = did_you_mean(name, sorted(agents))
            raise InvalidValueError(f"no agent is called {name!r}{near}")
    found = inventories([agents[name] for name in names] if names else list(agents.values()))
    found = [one for one in found if one.sessions or not here]
    if json:
        rows = [to_dict(one) for one in found]
        times = ("oldest", "newest", "purge_at")
        print_list(
            "agents", [{**row, **{name: to_iso(row[name]) for name in times}} for row in rows]
        )
        return
    _print_table(sorted(found, key=lambda one: not one.sessions), details=bool(names))


def _print_table(found: list[Inventory], *, details: bool) -> None:
    print(style(f"{'agent':16} {'here':>8}  {'read by':36} {'tested':12} {'seen':10}", "2"))
    for one in found:
        agent = one.known.agent
        seen = one.versions[-1] if one.versions else ""
        here = str(one.sessions) if one.sessions else "-"
        versions = f"{one_line(tested(one), 12):12} {one_line(seen, 10)}"
        row = f"{agent.name:16} {here:>8}  {read_by(one):36} {versions}"
        print(row.rstrip())
        for note in notes(one, details=details):
            print(f"{'':27}{one_line(note, 200)}")
