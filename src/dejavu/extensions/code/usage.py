"""How a command or tool was really called, and which calls worked. O(calls of it).

Tested in: tests/extensions/code/test_failures.py
"""

from typing import NamedTuple

from dejavu.archive import Archive

from .failures import command_text
from .fingerprints import program_of
from .index import EditIndex
from .queries import Call

_MOST = 5_000


class Usage(NamedTuple):
    """One way to call it: the newest call, and how often it worked, failed or did not say."""

    call: Call
    text: str
    worked: int
    failed: int
    unknown: int


def usages(
    archive: Archive, index: EditIndex, name: str, limit: int, *, workspace: str | None = None
) -> list[Usage]:
    """The ways in which a command was called: what works most often first, then the newest."""
    calls = index.calls_to(program_of(name), _MOST) or index.calls_to(name, _MOST)
    groups: dict[bytes, list[Call]] = {}
    for call in calls:
        if workspace is None or call.workspace == workspace:
            groups.setdefault(call.command, []).append(call)

    def rank(group: list[Call]) -> tuple[bool, int, float]:
        worked = sum(call.ok is True for call in group)
        return worked == 0, -min(worked, 3), -(group[0].at or 0.0)

    found: list[Usage] = []
    for group in sorted(groups.values(), key=rank)[:limit]:
        newest = next((call for call in group if call.ok), group[0])
        results = [call.ok for call in group]
        found.append(
            Usage(
                newest, command_text(archive, newest), results.count(True), results.count(False),
                results.count(None),
            )
        )  # fmt: skip
    return found
