"""Every agent that is known, and what of it is here, as `dejavu doctor --agents` has it.

Tested in: tests/extensions/web/test_views.py
"""

from markupsafe import Markup

from dejavu.export.html import join, line, tag
from dejavu.export.html.format import local
from dejavu.interfaces.agent_inventory import Inventory, inventories, notes, read_by, tested
from dejavu.model.plural import counted
from dejavu.model.timestamps import known_time
from dejavu.providers import agents as known_agents

from .endpoint import ARCHIVE
from .frame import frame

_COLUMNS = ("Agent", "Sessions", "Newest", "Tested", "Seen", "Read by")


def agents(base: str) -> str:
    """The page: those that left something here, and the others folded."""
    with ARCHIVE:
        found = inventories(known_agents().values())
    here = [one for one in found if one.sessions]
    others = [one for one in found if not one.sessions]
    sessions = sum(one.sessions for one in here)
    header = tag(
        "header",
        tag("h1", "Agents"),
        tag("p", f"{counted(sessions, 'session')} of {counted(len(here), 'agent')} lie here; "
            f"{len(found)} agents are known.", class_="facts"),
    )  # fmt: skip
    main = tag(
        "main",
        tag(
            "section",
            tag("h2", "On this machine"),
            _table(here, "On this machine"),
            class_="figures",
        )
        if here
        else tag("p", "None of them left a session on this machine."),
        tag(
            "details",
            tag("summary", counted(len(others), "other"), " that Déjà Vu reads"),
            _table(others, "Others"),
            class_="figures",
        )
        if others
        else None,
        id="main",
    )
    return frame("Agents", header, main, base=base, here="agents", script="reading.js")


def _table(rows: list[Inventory], name: str) -> Markup:
    titles = join(
        tag("th", title, scope="col", class_="num" if title == "Sessions" else None)
        for title in _COLUMNS
    )
    table = tag("table", tag("thead", tag("tr", titles)), tag("tbody", join(map(_row, rows))))
    return tag("div", table, class_="scroll wide", tabindex="0", role="group", aria_label=name)


def _row(one: Inventory) -> Markup:
    agent = one.known.agent
    newest = known_time(one.newest)
    remarks = join(tag("p", line(note, 300)) for note in notes(one, details=False))
    name = tag("th", tag("b", line(agent.title or agent.name, 60)), remarks, scope="row")
    cells = (
        f"{one.sessions:,}" if one.sessions else "–",
        f"{local(newest, None):%Y-%m-%d}" if newest else "–",
        tested(one) or "–",
        one.versions[-1] if one.versions else "–",
        read_by(one),
    )
    return tag(
        "tr",
        name,
        join(
            tag(
                "td", line(cell, 60), class_="num" if title == "Sessions" else None, data_name=title
            )
            for title, cell in zip(_COLUMNS[1:], cells, strict=True)
        ),
    )
