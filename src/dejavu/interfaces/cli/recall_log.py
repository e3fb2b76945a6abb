"""`dejavu memory log`: what was recalled or injected, when, for which prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import to_iso
from dejavu.recall import Memory
from dejavu.recall.injection_log import audit

from ..command_line.output import local_time, one_line, page, print_note, print_rows, style
from ..command_line.parameters import Option

if TYPE_CHECKING:
    from ..command_line.options import Json, RowLimit


def command(
    limit: RowLimit = None,
    injections: Annotated[
        bool, Option("--injections", help="List what was injected into prompts instead.")
    ] = False,
    json: Json = False,
) -> None:
    """List recent recalls or injections."""
    rows: list[dict[str, Any]] = []
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
    except NoArchiveError:
        pass  # nothing is logged then, which is said below
    if json:
        key = "injections" if injections else "recalls"
        timed = [{**row, "at": to_iso(row["at"])} for row in rows]
        print_rows(key, timed, next_offset=following)
        return
    for row in rows:
        subject = row.get("context") or row.get("workspace") or row.get("session") or "-"
        print(f"{local_time(row['at'])} {one_line(subject, 100)}")
        for name, score in _scores(row):
            print(f"    {style(name, '2')} {score:.2f}")
    if not rows:
        print_note("no injections yet" if injections else "no recalls yet")


def _scores(row: dict[str, Any]) -> list[tuple[str, float]]:
    """The ids and scores of a row, whichever log it is of."""
    results: list[dict[str, Any]] = row.get("results", [])
    items: list[tuple[str, float]] = row.get("items", [])
    return [(result["id"], result["score"]) for result in results] or [
        (item[0], item[1]) for item in items
    ]
