"""The redactor of today over the screen turns of yesterday.

Replaces, in every turn that was read from a screen, what the rules now know for a secret. Turns of
other vectors are the agents' own words and stay. O(conversations), and the turns of those that
hold screen turns.
"""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.model import Vector
from dejavu.redact.conversation import redact_turn


class RedactionReport(NamedTuple):
    """What it did: conversations looked at, and the ids of those that changed."""

    looked_at: int
    changed: tuple[str, ...]


def redact_stored(
    archive: Archive, redact: Callable[[str], str], *, dry_run: bool = False
) -> RedactionReport:
    """Redact every stored screen turn; with `dry_run`, say which conversations would change."""
    count, changed = 0, list[str]()
    for head in archive.scan():
        if Vector.SCREEN not in head.vectors:
            continue
        count += 1
        whole = archive.get(head.id)
        turns = tuple(
            redact_turn(turn, redact) if turn.vector is Vector.SCREEN else turn
            for turn in whole.turns
        )
        title = redact(whole.title)
        agent_title = whole.agent_title and redact(whole.agent_title)
        titles = title, agent_title
        if turns == whole.turns and titles == (whole.title, whole.agent_title):
            continue
        changed.append(head.id)
        if not dry_run:
            archive.put(
                msgspec.structs.replace(whole, title=title, agent_title=agent_title).with_turns(
                    turns
                )
            )
    return RedactionReport(count, tuple(changed))
