"""`dejavu team retention|prune|hold|release`: how long a team's archive keeps, and what it may not lose.

Retention says how long; `team prune` carries it out, by hand or by cron, as a curator: it deletes
what ended before that, but nothing that is under a legal hold. Costs O(conversations of the
workspaces that have a retention).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from dejavu.archive.access import open_archive
from dejavu.model import InvalidValueError
from dejavu.services.erase import erase_traces

from ..filters import parse_time
from .output import one_line, print_held, print_json, print_left_behind, print_note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dejavu.archive import Archive
    from dejavu.archive.backends.postgres_retention import Retention
    from dejavu.archive.backends.postgres_team import Team
    from dejavu.archive.maintenance.prune import Pruned

_DAY = 86_400


class Applied(NamedTuple):
    """What the retention of a workspace took, or would take."""

    workspace: str
    days: int
    pruned: Pruned


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
    from dejavu.archive.backends import postgres_retention as sql

    if action == "retention":
        return sql.retention_statement(workspace, days_of(name))
    if bool(name) == bool(workspace):
        raise InvalidValueError(f"`team {action}` needs a conversation's ID or --workspace")
    if action == "hold":
        return sql.hold_statement(name or None, workspace, reason)
    return sql.release_statement(name or None, workspace)


def prune(team: Team, *, dry_run: bool, json: bool) -> None:
    """Delete what is beyond the retention of its workspace."""
    with open_archive(write=not dry_run) as archive:
        applied = list(_apply(archive, team, team.status().retention, dry_run=dry_run))
    if json:
        print_json({"dry_run": dry_run, "workspaces": [_to_dict(one) for one in applied]})
        return
    for workspace, days, pruned in applied:
        verb = "would be deleted" if dry_run else "deleted"
        count = len(pruned.conversations)
        print(one_line(f"{workspace}  {days} days  {count} conversations {verb}"))
        print_held(pruned.held)
        print_left_behind(pruned.left)
    if not applied:
        print_note("nothing is beyond its retention; `dejavu team retention 2y` sets one")


def _apply(
    archive: Archive, team: Team, retention: Iterable[Retention], *, dry_run: bool
) -> Iterable[Applied]:
    from dejavu.archive.backends.postgres_retention import note_statement

    days_by_workspace = {one.workspace: one.days for one in retention}
    for workspace in sorted(archive.counts().by_workspace):
        days = days_by_workspace.get(workspace, days_by_workspace.get(None))
        if days is None:
            continue
        before = time.time() - days * _DAY
        pruned = archive.prune(workspace=workspace, before=before, dry_run=True)
        if pruned.conversations and not dry_run:
            native_ids = [archive.summary(name).native_id for name in pruned.conversations]
            pruned = archive.prune(workspace=workspace, before=before)
            erase_traces(pruned.conversations, native_ids)
            team.apply(note_statement(workspace, days, len(pruned.conversations)))
        if pruned.conversations or pruned.held:
            yield Applied(workspace, days, pruned)


def _to_dict(one: Applied) -> dict[str, Any]:
    pruned = one.pruned
    return {
        "workspace": one.workspace, "days": one.days, **pruned._asdict(),
        "left": [str(copy.path) for copy in pruned.left],
        "held": [held._asdict() for held in pruned.held],
    }  # fmt: skip
