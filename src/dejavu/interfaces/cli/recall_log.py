"""`dejavu memory log`: what was recalled or injected, when, for which prompt, and how much was right."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive import Archive
from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import NotFoundError, to_iso
from dejavu.model.conversation import seq_of
from dejavu.model.plural import counted
from dejavu.recall import Memory
from dejavu.recall.injection_log import audit
from dejavu.recall.verdicts import WEEK, Precision, is_hit, precision

from ..command_line.output import (
    local_time,
    one_line,
    page,
    print_json,
    print_note,
    print_rows,
    style,
)
from ..command_line.parameters import Option

if TYPE_CHECKING:
    from ..command_line.parameters import Json, RowLimit


def command(
    limit: RowLimit = None,
    injections: Annotated[
        bool, Option("--injections", help="List what was injected into prompts instead.")
    ] = False,
    week: Annotated[
        bool, Option("--week", help="Only count what was right in the last seven days.")
    ] = False,
    json: Json = False,
) -> None:
    """List recent recalls or injections."""
    if week:
        _print_week(json=json)
        return
    rows: list[dict[str, Any]] = []
    found = Precision()
    most = limit or (1_000_000_000 if json else 50)
    following: int | None = None
    try:
        with open_archive() as archive:
            entries: Iterable[Any] = (
                audit(archive, limit=most + 1)
                if injections
                else Memory(archive).recall_log(limit=most + 1)
            )
            shown, following = page(most, entries)
            rows = [msgspec.to_builtins(entry) for entry in shown]
            found = precision(archive, time.time() - WEEK)
            if not json:
                for row in rows:
                    _print_row(archive, row)
    except NoArchiveError:
        pass  # nothing is logged then, which is said below
    if json:
        key = "injections" if injections else "recalls"
        timed = [{**row, "at": to_iso(row["at"])} for row in rows]
        print_rows(key, timed, next_offset=following)
        return
    if not rows:
        print_note("no injections yet" if injections else "no recalls yet")
    print_note(_told(found))


def _print_row(archive: Archive, row: dict[str, Any]) -> None:
    """When and for what, and what was given with how each begins; the log itself holds no texts."""
    subject = row.get("context") or row.get("workspace") or row.get("session") or "-"
    print(f"{local_time(row['at'])} {one_line(subject, 100)}")
    for name, score in _scores(row):
        text = one_line(_text(archive, name), 100)
        print(f"    {style(one_line(name), '2')} {score:.2f} {text}".rstrip())


def _text(archive: Archive, name: str) -> str:
    """What a memory says, or the turn of a hit; empty where it is gone."""
    try:
        if not is_hit(name):
            return Memory(archive).get(name).text
        conversation, _, turn = name.rpartition("#")
        seq = seq_of(int(turn))
        return next((one.text for one in archive.turns(conversation, seq, seq + 1)), "")
    except (NotFoundError, ValueError):
        return ""


def _print_week(*, json: bool) -> None:
    found = Precision()
    with suppress(NoArchiveError), open_archive() as archive:
        found = precision(archive, time.time() - WEEK)
    if json:
        print_json({**msgspec.to_builtins(found), "precision": found.share})
    else:
        print(_told(found))


def _told(week: Precision) -> str:
    """A line on the last seven days."""
    judged, silent = week.right + week.wrong, week.missed + week.withheld
    memories = week.memories_right + week.memories_wrong
    told = [
        f"last 7 days: records added to {counted(week.injections, 'prompt')}",
        f"{counted(judged, 'hit')} judged, {week.right} right" if judged else "",
        f"of {silent} kept back and judged, {week.missed} had the answer" if silent else "",
        f"{counted(memories, 'memory', 'memories')} judged, {week.memories_right} right"
        if memories
        else "",
    ]
    if not judged + silent + memories:
        told.append("`dejavu memory confirm` or `reject` ID says whether it answered")
    return "; ".join(filter(None, told))


def _scores(row: dict[str, Any]) -> list[tuple[str, float]]:
    """The ids and scores of a row, whichever log it is of."""
    results: list[dict[str, Any]] = [*row.get("results", []), *row.get("hits", [])]
    items: list[tuple[str, float]] = row.get("items", [])
    return [(result["id"], result["score"]) for result in results] or [
        (item[0], item[1]) for item in items
    ]
