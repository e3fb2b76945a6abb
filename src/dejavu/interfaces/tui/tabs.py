"""The ways to list conversations, as names in the upper border of the list.

Where the names don't fit side by side, the open one is alone.
"""

from typing import NamedTuple

from textual.content import Content


class Tab(NamedTuple):
    """One way: its name, and the field that groups (empty: by day)."""

    name: str
    kind: str


TABS = (
    Tab("Recent", ""),
    Tab("Projects", "project"),
    Tab("Machines", "instance"),
    Tab("Agents", "agent"),
)
_BETWEEN = "  "
_WHOLE = sum(len(tab.name) for tab in TABS) + len(_BETWEEN) * (len(TABS) - 1)


def titled(active: int, room: int) -> Content:
    """The border's text: the open name bold, the others dim."""
    if room < _WHOLE:
        return Content.assemble((TABS[active].name, "bold"), (f" {active + 1}/{len(TABS)}", "$dim"))
    pieces: list[Content | str | tuple[str, str]] = []
    for at, tab in enumerate(TABS):
        pieces += [(_BETWEEN, "$dim")] if at else []
        pieces.append((tab.name, "bold" if at == active else "not bold $dim"))
    return Content.assemble(*pieces)


def tab_at(column: int, active: int, room: int) -> int:
    """Which name is at a column of the text; a lone name leads to the next one."""
    if room < _WHOLE:
        return (active + 1) % len(TABS)
    start = 0
    for at, tab in enumerate(TABS):
        if start <= column < start + len(tab.name):
            return at
        start += len(tab.name) + len(_BETWEEN)
    return active
