"""`dejavu delete ID...`: delete conversations from the archive; asks first. `--undo` brings them back.

`--list` names what was deleted.

What goes is named before anything does. A conversation under a legal hold stays, and is named.
Exit codes: 0 deleted, 1 some are under a legal hold, 3 no such conversation, 130 the answer was no.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive, resolve
from dejavu.model import InvalidValueError, to_iso
from dejavu.model.plural import counted
from dejavu.services.deletion import delete, undelete

from ..command_line.output import (
    confirm,
    local_time,
    one_line,
    print_held,
    print_json,
    print_left_behind,
    print_note,
)
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError

if TYPE_CHECKING:
    from dejavu.archive import Archive

    from ..command_line.parameters import Json


def command(
    ids: Annotated[
        list[str] | None,
        Argument(
            metavar="ID", help="Ids or unique prefixes, or `last`, `last~1` ...",
            complete="conversations",
        ),
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would be deleted, delete nothing.")
    ] = False,
    undo: Annotated[
        bool, Option("--undo", help="Bring back what was deleted last, or these.")
    ] = False,
    listed: Annotated[
        bool, Option("--list", help="List what was deleted and can come back.")
    ] = False,
    for_good: Annotated[
        bool, Option("--for-good", help="Delete at once, so that --undo can't bring it back.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:  # fmt: skip
    """Delete conversations from the archive.

    `--undo` brings them back until `dejavu archive compact`, or until anything else is deleted for good.
    The agent's own session file stays where it is, and a later sync does not bring the conversation
    back. `dejavu archive prune` deletes by age, project or pattern, or single turns.
    """
    if listed:
        _list(as_json=json)
        return
    if undo:
        _undo(ids or [], as_json=json)
        return
    if not ids:
        raise InvalidValueError("name the conversations to delete, or give --list or --undo")
    with open_archive(write=not dry_run) as archive:
        names = tuple(dict.fromkeys(archive.summary(resolve(archive, one)).id for one in ids))
        kept = archive.maintenance.keeps_deleted and not for_good
        if not (dry_run or yes):
            _ask(archive, names, for_good=not kept)
        if dry_run:
            pruned = archive.maintenance.prune(only=names, dry_run=True)
        else:
            pruned = delete(archive, names, for_good=for_good)
    print_left_behind(pruned.left)
    print_held(pruned.held)
    if json:
        print_json({
            "dry_run": dry_run, **pruned._asdict(),
            "left": [str(copy.path) for copy in pruned.left],
            "held": [one._asdict() for one in pruned.held],
        })  # fmt: skip
    else:
        for name in pruned.conversations:
            print(one_line(name))
        verb = "would be deleted" if dry_run else "deleted" if kept else "deleted for good"
        print_note(f"{counted(len(pruned.conversations), 'conversation')} {verb}")
        if kept and pruned.conversations and not dry_run:
            print_note("`dejavu delete --undo` undoes this until `dejavu archive compact`")
    if pruned.held:
        raise ExitError(1)


def _list(*, as_json: bool) -> None:
    """Print what was deleted and can come back, the last deleted first."""
    with open_archive() as archive:
        deleted = archive.maintenance.deleted() if archive.maintenance.keeps_deleted else []
    if as_json:
        rows = [
            {"id": one.id, "agent": one.agent, "title": one.title, "turns": one.turns,
             "deleted_at": to_iso(one.at)}
            for one in deleted
        ]  # fmt: skip
        print_json({"deleted": rows})
        return
    for one in deleted:
        title = one_line(one.title or "(no title)", 60)
        print(f"{one_line(one.id)}  deleted {local_time(one.at)}  {one_line(one.agent)}  {title}")
    if deleted:
        print_note("`dejavu delete --undo ID` brings one back until `dejavu archive compact`")
    else:
        print_note("nothing that was deleted can come back")


def _undo(ids: list[str], *, as_json: bool) -> None:
    """Bring conversations back, and name them."""
    with open_archive(write=True) as archive:
        names = undelete(archive, ids)
    if as_json:
        print_json({"restored": names})
        return
    for name in names:
        print(one_line(name))
    print_note(f"{counted(len(names), 'conversation')} brought back")


def _ask(archive: Archive, names: tuple[str, ...], *, for_good: bool) -> None:
    """Name what goes, and raise unless a person at the terminal says yes."""
    if not sys.stdin.isatty():
        raise InvalidValueError("no terminal to ask on: add --yes, or --dry-run to look")
    for name in names:
        summary = archive.summary(name)
        when = local_time(summary.ended_at or summary.started_at)
        title = one_line(summary.title or "(no title)", 60)
        turns = counted(summary.turn_count, "turn")
        print_note(f"{name}  {when}  {one_line(summary.agent)}  {turns}  {title}")
    what = counted(len(names), "conversation")
    if not confirm(f"Delete {what} from the archive{' for good' if for_good else ''}?"):
        raise ExitError(130)
