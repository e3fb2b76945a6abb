"""`dejavu archive prune --turn ID#N`: take single turns out of a conversation; asks first.

Their places stay, so that no other turn changes its number.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dejavu.archive.access import open_archive, resolve
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.model.conversation import turn_number

from ..turn_range import parse_turns
from .output import confirm, one_line, print_json, print_left_behind, print_note
from .stdio import ExitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dejavu.archive import Archive
    from dejavu.archive.maintenance.old_copies import LeftBehind
    from dejavu.services.prune_turns import PrunedTurns, Selection


def prune_turn(names: Sequence[str], *, dry_run: bool, yes: bool, json: bool) -> None:
    """Take the named turns out; raises as `Selection` does."""
    from dejavu.services.prune_turns import PrunedTurns, prune_turns, quoting_memories

    with open_archive(write=not dry_run) as archive:
        selections = _selections(archive, names)
        done = [
            PrunedTurns(one.conversation.id, one.turns, one.quoted, quoting_memories(archive, one))
            for one in selections
        ]
        if not dry_run:
            if not yes:
                _ask(done)
            done = [prune_turns(archive, selection) for selection in selections]
    left = {copy.path: copy for one in done for copy in one.left}
    print_left_behind(list(left.values()))
    if json:
        print_json({"dry_run": dry_run, "pruned": [_to_dict(one) for one in done]})
        return
    verb = "would be" if dry_run else "were"
    for one in done:
        print(
            f"{one_line(one.conversation)}  {', '.join(str(turn_number(seq)) for seq in one.turns)}"
        )
        if one.memories:
            print_note(f"memories that quote it {verb} forgotten: {' '.join(one.memories)}")
        if one.quoted:
            named = ", ".join(str(turn_number(seq)) for seq in one.quoted)
            print_note(f"these turns repeat some of it and are kept: {named}")
    count = sum(len(one.turns) for one in done)
    what = "1 turn" if count == 1 else f"{count} turns"
    print_note(
        f"{what} {verb.replace('were', 'was') if count == 1 else verb} taken out; the agent's own "
        "file and backups are not touched"
    )


def _selections(archive: Archive, names: Sequence[str]) -> list[Selection]:
    """What is named, a conversation at a time."""
    from dejavu.services.prune_turns import Selection

    wanted: dict[str, set[int]] = {}
    for name in names:
        conversation, mark, turns = name.partition("#")
        if not mark or not conversation:
            raise InvalidValueError(f"{name!r} is not a turn; write ID#12, ID#12,15 or ID#12-14")
        identity = resolve(archive, conversation)
        end = archive.summary(identity).turn_count
        first = next((turn.seq for turn in archive.turns(identity, 0, None)), 0)
        for named in map(parse_turns, turns.split(",")):
            chosen = named.within(first + end)
            stop = first + end if chosen.stop is None else chosen.stop
            if chosen.start < first or stop > first + end:
                known = f"{turn_number(first)} to {first + end}"
                raise NotFoundError(f"{identity} has the turns {known}")
            wanted.setdefault(identity, set()).update(range(chosen.start, stop))
    return [Selection(archive.get(identity), seqs) for identity, seqs in wanted.items()]


def _ask(done: Sequence[PrunedTurns]) -> None:
    if not sys.stdin.isatty():
        raise InvalidValueError("no terminal to ask on: add --yes, or --dry-run to look")
    count = sum(len(one.turns) for one in done)
    memories = sum(len(one.memories) for one in done)
    also = f" and {memories} memories that quote it" if memories else ""
    if not confirm(f"Take {count} turns{also} out of the archive for good?"):
        raise ExitError(130)


def _to_dict(one: PrunedTurns) -> dict[str, object]:
    left: Sequence[LeftBehind] = one.left
    return {**one._asdict(), "left": [str(copy.path) for copy in left]}
