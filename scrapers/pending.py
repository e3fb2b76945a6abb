"""Work in the background, in the words of reports and screens: `N things running`, queued inputs.

Only rows around the input count, and of the transcript the last row: what is said further up is
quoted or over. Cost: O(rows around the input).
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from .segment import Layout
from .state import Pending

# The first word that occurs decides: "MCP task" is mcp, "background agent" an agent.
_KINDS = (
    ("mcp", re.compile(r"(?i)\bmcp\b")),
    ("workflow", re.compile(r"(?i)\bworkflows?\b")),
    ("agent", re.compile(r"(?i)agents?\b|\bteammates?\b")),
    ("shell", re.compile(r"(?i)shells?\b|\bbash|\bcommands?\b|\bterminals?\b|\bprocess(?:es)?\b")),
)
_THINGS = (
    r"(?:background )?(?:shells?|bashes|MCP tasks?|(?:dynamic )?workflows?|(?:local |sub-?)?agents?"
    r"|teammates?|commands?|(?:background )?terminals?|processes|tasks?)"
)
_RUNNING = re.compile(
    rf"(?i)(?:^|[^\w.])(\d{{1,3}}) ({_THINGS})(?: are| is)?(?: still)?"
    r"(?: running(?: in (?:the )?background)?| to finish)\b"
)
# A part of a footer, between its separators, that is nothing but a count and a thing.
_COUNTED = re.compile(rf"(?i)(?:^|[·|•] ?)\s*(\d{{1,3}}) ({_THINGS})\s*(?=$|[·|•(])")
_WAITING_FOR = re.compile(r"(?i)^\W{0,4}waiting for (background agents?)\b")
_QUEUED = re.compile(r"(?i)^\W{0,4}queued follow-up (?:inputs?|messages?)\b")
_QUEUED_ITEM = re.compile(r"^\s{1,6}↳ ")
_HINTS = ("running", "queue", "to finish", "waiting for", "shell", "agent", "task", "terminal")


def kind_of(words: str) -> str:
    """Return the kind of work that `words` (a title, an id, a name) are about."""
    return next((kind for kind, pattern in _KINDS if pattern.search(words)), "task")


def running_in(message: str) -> tuple[Pending, ...]:
    """Return what a line says to be running still, as in "2 shells still running"."""
    return counted((kind_of(words), int(count)) for count, words in _RUNNING.findall(message))


def counted(pairs: Iterable[tuple[str, int]]) -> tuple[Pending, ...]:
    """Return one entry a kind, with what was counted of it, in the order of kinds' names."""
    total = Counter[str]()
    for kind, count in pairs:
        total[kind] += count
    return tuple(Pending(kind, count) for kind, count in sorted(total.items()) if count)


def named(entries: Iterable[Pending], names: Iterable[tuple[str, str]]) -> tuple[Pending, ...]:
    """Return the entries with the names (kind, name) that have none yet, as many as are counted."""
    of_kind: dict[str, list[str]] = {}
    for kind, name in names:
        if name and name not in of_kind.setdefault(kind, []):
            of_kind[kind].append(name)
    return tuple(
        replace(entry, names=entry.names or tuple(of_kind.get(entry.kind, ())[: entry.count]))
        for entry in entries
    )


def queued_rows(layout: Layout) -> list[int]:
    """Return the screen's rows on which the inputs begin that wait for their turn."""
    rows = [
        at
        for region in layout.regions
        if region.name in ("status", "footer")
        for at in range(region.top, region.bottom)
    ]
    if not any(_QUEUED.search(layout.rows[at]) for at in rows):
        return []
    return [at for at in rows if _QUEUED_ITEM.search(layout.rows[at])]


def merged(*sources: tuple[Pending, ...]) -> tuple[Pending, ...]:
    """Return what any source tells of: sources count the same things, so the largest count is taken.

    A "task" is what was given no kind: only those that no other source names are left of them.
    """
    most: dict[str, int] = {}
    for source in sources:
        for entry in source:
            most[entry.kind] = max(entry.count, most.get(entry.kind, 0))
    others = sum(count for kind, count in most.items() if kind not in ("task", "queued"))
    if "task" in most:
        most["task"] = max(0, most["task"] - others)
    known = [(entry.kind, name) for source in sources for entry in source for name in entry.names]
    unnamed = [
        kind for kind in most if kind not in ("task", "queued", *(kind for kind, _ in known))
    ]
    if len(unnamed) == 1:  # a "task" that another source gives a kind
        known += [(unnamed[0], name) for kind, name in known if kind == "task"]
    return named(counted(most.items()), known)


def pending_on_screen(layout: Layout) -> tuple[Pending, ...]:
    """Return what the rows around the input say to be running or queued."""
    around = [
        row
        for region in layout.regions
        if region.name in ("status", "footer")
        for row in layout.rows[region.top : region.bottom]
    ]
    last = next((row for row in reversed(layout.lines) if row), "")
    text = "\n".join((*around, last)).lower()
    if not any(hint in text for hint in _HINTS):
        return ()
    said = [entry for row in around for entry in running_in(row)]
    # A row of the transcript counts only if it is a line about the turn: marks between its parts.
    if " · " in last:
        said += running_in(last)
    found = [(entry.kind, entry.count) for entry in said]
    found += [("agent", 1) for row in (*around, last) if _WAITING_FOR.search(row)]
    shown = [
        (kind_of(words), int(count)) for row in around for count, words in _COUNTED.findall(row)
    ]
    # The footer and the turn's last line may tell of the same shell.
    most: dict[str, int] = {}
    for kind, count in (*found, *shown):
        most[kind] = max(count, most.get(kind, 0))
    if any(map(_QUEUED.search, around)):
        most["queued"] = max(1, sum(map(bool, map(_QUEUED_ITEM.search, around))))
    return counted(most.items())
