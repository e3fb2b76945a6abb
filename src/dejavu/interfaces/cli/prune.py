"""`dejavu archive prune`: delete conversations, or single turns, from the archive; asks first.

Nothing else deletes a conversation or a turn.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.archive.access import open_archive
from dejavu.model import InvalidValueError
from dejavu.model.plural import counted
from dejavu.recall import Memory
from dejavu.services.deletion import erase_deleted
from dejavu.services.erase import erase_traces

from ..command_line.output import (
    confirm,
    one_line,
    print_held,
    print_json,
    print_left_behind,
    print_note,
)
from ..command_line.parameters import Option
from ..command_line.prune_turn import prune_turn
from ..command_line.stdio import ExitError
from ..filters import check_names, parse_time, resolve_workspace

_MINUTES = re.compile(r"[\d.]+\s*m")

if TYPE_CHECKING:
    from dejavu.archive import Archive
    from dejavu.archive.maintenance.prune import Pruned

    from ..command_line.parameters import Agent, Instance, Json, Workspace


def _before(text: str) -> float:
    """As `parse_time`, without `1m`: a minute where a month may be meant would delete everything.

    Raises:
        InvalidValueError: the text is no time, or minutes.
    """
    if _MINUTES.fullmatch(text.strip().lower().removesuffix(" ago")):
        raise InvalidValueError(f"{text!r} is minutes; say 1mo for a month, 30d, or 1min if meant")
    return parse_time(text)


def command(
    before: Annotated[
        float | None,
        Option(
            "--before",
            parser=_before,
            metavar="TIME",
            help="Only conversations that ended before this time (90d, 2026-01-01).",
        ),
    ] = None,
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    pattern: Annotated[
        str | None,
        Option("--pattern", help="Only where title or turns match this regular expression."),
    ] = None,
    turn: Annotated[
        list[str] | None,
        Option(
            "--turn",
            metavar="ID#N",
            help="Only these turns of a conversation: ID#12, #12,15, #12-14, #12-; repeatable.",
        ),
    ] = None,
    any_clock: Annotated[
        bool,
        Option(
            "--any-clock",
            help="With --before: also those whose agent's clock was impossible (before 2015).",
        ),
    ] = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would be deleted, delete nothing.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Delete conversations, or single turns, from the archive."""
    criteria_texts = {
        "--pattern": pattern,
        "--workspace": workspace,
        "--agent": agent,
        "--instance": instance,
    }
    for option, value in criteria_texts.items():
        if value == "":  # an unset variable in a script; an empty pattern is in every conversation
            raise InvalidValueError(f"{option} is empty: name what is to be deleted")
    if turn:
        if before is not None or any(criteria_texts.values()):
            raise InvalidValueError("--turn says what to delete; leave out the other conditions")
        prune_turn(turn, dry_run=dry_run, yes=yes, json=json)
        return
    with open_archive(write=not dry_run) as archive:
        folder = resolve_workspace(archive, workspace)
        criteria: dict[str, Any] = {
            "before": before, "workspace": folder, "instance": instance,
            "agent": agent, "pattern": pattern, "any_clock": any_clock,
        }  # fmt: skip
        selection = archive.maintenance.prune(**criteria, dry_run=True)
        if not selection.conversations:
            check_names(archive, agent=agent, instance=instance)
        asked = None  # a query has no workspace, instance or agent
        if pattern is not None and not (folder or instance or agent):
            asked = re.compile(pattern)
        queries = 0 if asked is None else Memory(archive).queries(asked, before)
        titles: list[str] = []
        if dry_run:
            titles = [archive.summary(name).title for name in selection.conversations]
        elif selection.conversations or queries:
            if not yes:
                _ask(f"Delete {_count(selection)}{_also(queries)} from the archive for good?")
            if asked is not None and queries:
                Memory(archive).erase_queries(asked, before)
                if not selection.conversations:  # else pruning gives their pages back
                    archive.maintenance.gc(compact=True)
            selection = _prune(archive, selection, criteria)
    _print_outcome(selection, titles, queries, dry_run=dry_run, json=json)


def _prune(archive: Archive, selection: Pruned, criteria: dict[str, Any]) -> Pruned:
    """Prune what meets the criteria, of which `selection` is known, and its traces elsewhere."""
    native_ids = [archive.summary(name).native_id for name in selection.conversations]
    if selection.conversations:
        erase_deleted(archive)
    pruned = archive.maintenance.prune(**criteria)
    erase_traces(pruned.conversations, native_ids)
    return pruned


def _print_outcome(
    selection: Pruned, titles: list[str], queries: int, *, dry_run: bool, json: bool
) -> None:
    print_left_behind(selection.left)
    print_held(selection.held)
    if json:
        left = [str(copy.path) for copy in selection.left]
        held = [one._asdict() for one in selection.held]
        print_json(
            {
                "dry_run": dry_run, **selection._asdict(), "left": left, "held": held,
                "recall_queries": queries,
            }
        )  # fmt: skip
        return
    for identity, title in zip(selection.conversations, titles, strict=False):
        print(f"{one_line(identity)}  {one_line(title, 80)}")
    verb = "would be deleted" if dry_run else "deleted"
    print_note(f"{_count(selection)}, {selection.raw_bytes} raw bytes{_also(queries)} {verb}")
    if selection.doubtful:
        print_note(
            f"{len(selection.doubtful)} more are old by an impossible clock only and stay; "
            "--any-clock takes them, too"
        )


def _count(selection: Pruned) -> str:
    conversations = counted(len(selection.conversations), "conversation")
    return f"{conversations}, {counted(selection.turns, 'turn')}"


def _ask(question: str) -> None:
    """Raise unless a person at the terminal says yes."""
    if not sys.stdin.isatty():
        raise InvalidValueError("no terminal to ask on: add --yes, or --dry-run to look")
    if not confirm(question):
        raise ExitError(130)


def _also(queries: int) -> str:
    return f", {queries} recall queries" if queries else ""
