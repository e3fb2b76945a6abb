"""`dejavu explain FILE --agent A`: how one screen is read: regions, state, every rule tried."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from dejavu.model import InvalidValueError
from dejavu.scrapers import State, describe, pending_on_screen, read
from dejavu.screen import Snapshot, Terminal

from ..command_line.output import one_line, print_json, print_note, style
from ..command_line.parameters import Argument, Option
from ..filters import check_file
from .replay import packs_for, read_through, size_of

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def screen_of(file: Path, size: tuple[int, int] | None, at: float | None) -> Snapshot:
    """The screen in `file`: of a recording at a moment, the result of raw bytes, or plain rows.

    Raises:
        InvalidValueError: a moment was asked for of what has no times.
    """
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    if data.lstrip().startswith(b'{"version"') and str(file) != "-":
        shown = read_through(file, None, size, until=at).terminal.snapshot()
        if at is None:
            print_note("dejavu: this is the recording's end; --at SECONDS shows an earlier screen")
        return shown
    if at is not None:
        raise InvalidValueError("--at needs a recording in a file (asciicast v2)")
    if b"\x1b" in data:
        columns, lines = size or (120, 40)
        terminal = Terminal(columns, lines, history=0, graphemes=True)
        terminal.feed(data)
        return terminal.snapshot()
    rows = data.decode("utf-8", "replace").splitlines()
    return Snapshot.from_rows(rows, columns=size[0] if size else None)


def command(
    file: Annotated[
        Path, Argument(help="A screen as text, raw bytes or a recording; - reads stdin.")
    ],
    agent: Annotated[str, Option("--agent", "-a", help="The agent on the screen.")] = "auto",
    size: Annotated[
        str | None, Option("--size", help="Columns x lines (120x40), for raw bytes.")
    ] = None,
    at: Annotated[
        float | None,
        Option("--at", min=0, metavar="SECONDS", help="The moment of a recording; else its end."),
    ] = None,
    json: Json = False,
) -> None:
    """Show how one screen is read, rule by rule."""
    if str(file) != "-":
        check_file(file)
    shown = screen_of(file, size_of(size), at)
    reading = read(agent, shown, packs=packs_for(agent))
    pending = pending_on_screen(reading.layout)
    is_blocked = reading.state is State.BLOCKED
    blocked = describe(reading.layout, None, shown=shown) if is_blocked else None
    if json:
        print_json(
            {
                "agent": reading.agent,
                "state": str(reading.state),
                "rule": reading.rule,
                "confidence": reading.confidence,
                "regions": [msgspec.to_builtins(region) for region in reading.regions],
                "evaluated": [msgspec.to_builtins(tried) for tried in reading.explanation],
                "pending": [msgspec.to_builtins(entry) for entry in pending],
                "blocked": msgspec.to_builtins(blocked),
            }
        )
        return
    verdict = style(str(reading.state), "1")
    print(f"{reading.agent}: {verdict} by {reading.rule or 'no rule'} ({reading.confidence})")
    if blocked is not None:
        print(f"  asks ({blocked.kind}): {one_line(blocked.question, 110)}")
        for choice in blocked.choices:
            print(f"    {'❯' if choice == blocked.default else ' '} {one_line(choice, 110)}")
    for entry in pending:
        print(f"  pending: {entry.count} {entry.kind}")
    for region in reading.regions:
        rows, columns = f"{region.top}-{region.bottom}", f"{region.left}-{region.right}"
        print(f"  {region.name:12} rows {rows}, columns {columns}")
    for tried in reading.explanation:
        mark = style("✓", "32") if tried.matched else style("·", "2")
        print(f"  {mark} {tried.kind:7} {tried.rule:24} {one_line(tried.reason, 110)}")
