"""Rule packs as text: their tables one by one, and learnt tables put over a pack's own.

A learnt table of the same section and id takes the place of the pack's; a new one comes before the
first that it must win over: of its section and group, which is a region's name or a line's kind.
Pure; O(characters).
"""

import re
from typing import NamedTuple

_TABLE = re.compile(r"(?m)^\[\[(\w+)\]\][ \t]*$")
_ID = re.compile(r"(?m)^id = \"([^\"\n]+)\"")
_GROUP = re.compile(r"(?m)^(?:name|kind) = \"([^\"\n]+)\"")


class Table(NamedTuple):
    """One rule of a pack: its section (region, column, state, line), id, group, and TOML."""

    section: str
    id: str
    group: str
    text: str


def split_pack(text: str) -> tuple[str, list[Table]]:
    """Return what comes before the first table of a pack, and its tables."""
    starts = [*_TABLE.finditer(text)]
    if not starts:
        return text, []
    ends = [*(match.start() for match in starts[1:]), len(text)]
    tables: list[Table] = []
    for match, end in zip(starts, ends, strict=True):
        body = text[match.start() : end]
        identity, group = _ID.search(body), _GROUP.search(body)
        tables.append(
            Table(match.group(1), identity.group(1) if identity else "",
                  group.group(1) if group else "", body)
        )  # fmt: skip
    return text[: starts[0].start()], tables


def merge_packs(base: str, learnt: str) -> str:
    """Return a pack with learnt tables in it. What comes before the first learnt one is dropped."""
    head, tables = split_pack(base)
    for table in split_pack(learnt)[1]:
        table = table._replace(text=table.text.rstrip() + "\n\n")
        for index, other in enumerate(tables):
            if (other.section, other.id) == (table.section, table.id):
                tables[index] = table
                break
        else:
            alike = (
                index
                for index, other in enumerate(tables)
                if (other.section, other.group) == (table.section, table.group)
            )
            tables.insert(next(alike, len(tables)), table)
    if tables:
        tables[-1] = tables[-1]._replace(text=tables[-1].text.rstrip() + "\n")
    return head + "".join(table.text for table in tables)
