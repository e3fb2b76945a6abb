"""`dejavu team retention|prune|hold|release`: how long a team's archive keeps, and what it may not lose.

Retention says how long; `team prune` carries it out, by hand or by cron, as a curator: it deletes
what ended before that by the server's clock, but nothing that is under a legal hold.
Costs O(conversations of the workspaces that have a retention).

Tested in: tests/extensions/teams/cli/test_team.py
"""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from dejavu.archive.access import open_archive
from dejavu.interfaces.command_line.output import (
    one_line,
    print_held,
    print_json,
    print_left_behind,
    print_note,
)
from dejavu.interfaces.filters import parse_time
from dejavu.model import InvalidValueError
from dejavu.model.plural import counted
from dejavu.services.erase import erase_traces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dejavu.archive import Archive
    from dejavu.archive.maintenance.prune import Pruned

    from ..postgres_team import Team

_DAY = 86_400
MOST = 1_000
"""Conversations that one run deletes at the most, unless an option says otherwise."""


class Applied(NamedTuple):
    """What the retention of a project or folder took, or would take; `remaining`: what the next run takes."""

    workspace: str
    days: int
    pruned: Pruned
    remaining: int


def days_of(text: str) -> int | None:
    """Days of `90d`, `1y`, `18mo`; None of `forever`.

    Raises:
        InvalidValueError: neither, or less than a day.
    """
    if text == "forever":
        return None
    now = time.time()
    try:
        days = round((now - parse_time(text, now=now)) / _DAY)
    except InvalidValueError:
        days = 0
    if days < 1:
        raise InvalidValueError(f"{text!r} is no time to keep for; try 90d, 18mo, 2y or forever")
    return days


def statement(action: str, name: str, workspace: str | None, reason: str) -> str:
    """The SQL of an action.

    Raises:
        InvalidValueError: what it needs was not given, or both a conversation and a workspace.
    """
    from .. import postgres_retention as sql

    if action == "retention":
        return sql.retention_statement(workspace, days_of(name))
    if bool(name) == bool(workspace):
        raise InvalidValueError(f"`team {action}` needs a conversation's ID or --workspace")
    if action == "hold":
        return sql.hold_statement(name or None, workspace, reason)
    return sql.release_statement(name or None, workspace)


def prune(team: Team, most: int, *, dry_run: bool, json: bool) -> None:
    """Delete what is beyond the retention of its workspace, at most `most` conversations in all."""
    with open_archive(write=not dry_run) as archive:
        applied = list(_apply(archive, team, most, dry_run=dry_run))
    if json:
        print_json({"dry_run": dry_run, "workspaces": [_to_dict(one) for one in applied]})
        return
    for workspace, days, pruned, _ in applied:
        verb = "would be deleted" if dry_run else "deleted"
        count = len(pruned.conversations)
        print(
            one_line(
                f"{workspace}  {counted(days, 'day')}  {counted(count, 'conversation')} {verb}"
            )
        )
        print_held(pruned.held)
        print_left_behind(pruned.left)
    if rest := sum(one.remaining for one in applied):
        print_note(
            f"{rest} more are beyond it: a run deletes at most {most} (--limit); run it again"
        )
    if not applied:
        print_note("nothing is beyond its retention; `dejavu team retention 2y` sets one")


def _apply(archive: Archive, team: Team, most: int, *, dry_run: bool) -> Iterable[Applied]:
    from ..postgres_retention import note_statement

    for (workspace, days), rows in groupby(team.due(), key=lambda one: (one.place, one.days)):
        due_here = list(rows)
        before, only = due_here[0].before, tuple(one.conversation for one in due_here)
        pruned = archive.maintenance.prune(only=only, before=before, dry_run=True)
        remaining = 0
        if pruned.conversations and not dry_run:
            due = pruned
            native_ids = {name: archive.summary(name).native_id for name in due.conversations}
            pruned = archive.maintenance.prune(only=only, before=before, most=most)
            pruned = pruned._replace(held=due.held)
            most -= len(pruned.conversations)
            remaining = len(due.conversations) - len(pruned.conversations)
            if pruned.conversations:
                gone = [native_ids[name] for name in pruned.conversations if name in native_ids]
                erase_traces(pruned.conversations, gone)
                team.apply(note_statement(workspace, days, len(pruned.conversations)))
        if pruned.conversations or pruned.held or remaining:
            yield Applied(workspace, days, pruned, remaining)


def _to_dict(one: Applied) -> dict[str, Any]:
    pruned = one.pruned
    return {
        "workspace": one.workspace, "days": one.days, **pruned._asdict(), "remaining": one.remaining,
        "left": [str(copy.path) for copy in pruned.left],
        "held": [held._asdict() for held in pruned.held],
    }  # fmt: skip
