"""`dejavu replay FILE`: a recording through screen and scrapers, as if it happened now.

Takes asciicast v2 or raw bytes; gives the status changes and turns that were read. Costs O(bytes).
"""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from dejavu.capsule import Gap, Output, Recording, Resize
from dejavu.record import part_to_plain
from dejavu.scrapers import SessionReader

from ..agents import agent_of
from ..packs import operator_packs
from .options import Json
from .output import line, note, paint, print_json

_SIZE = re.compile(r"(\d{1,4})x(\d{1,4})")


def size_of(text: str | None) -> tuple[int, int] | None:
    """Columns and lines from `120x40`.

    Raises:
        typer.BadParameter: it is no size.
    """
    if text is None:
        return None
    found = _SIZE.fullmatch(text)
    if not found or 0 in (int(found[1]), int(found[2])):
        raise typer.BadParameter(f"{text!r} is no size; say columns x lines, such as 120x40")
    return int(found[1]), int(found[2])


def read_through(file: Path, agent: str | None, size: tuple[int, int] | None) -> SessionReader:
    """A reader that was fed the whole of `file`."""
    recording = Recording(file)
    columns, lines = size or (recording.columns or 80, recording.lines or 24)
    reader = SessionReader(agent or _named(recording), columns, lines, packs=operator_packs())
    at = 0.0
    for event in recording:
        at = max(at, getattr(event, "at", at))
        while reader.due is not None and reader.due <= at:
            reader.tick(reader.due)
        match event:
            case Output(_, data):
                reader.output(data, at)
            case Resize(_, columns, lines) if size is None:
                reader.resize(columns, lines, at)
            case Gap(_, lost):
                reader.gap(lost, at)
            case _:
                pass
    for fault in recording.faults:
        note(f"dejavu: {fault}")
    for _ in range(100):  # what was still waiting to settle
        if reader.due is None:
            break
        at = max(at, reader.due)
        reader.tick(at)
    reader.exit(None, at)
    return reader


def _named(recording: Recording) -> str:
    """The agent a recording names in its title, or `auto`."""
    return agent_of(recording.title.split()) or "auto"


def command(
    file: Annotated[
        Path,
        typer.Argument(exists=True, dir_okay=False, help="asciicast v2, or raw terminal bytes."),
    ],
    agent: Annotated[str | None, typer.Option("--agent", "-a", help="Whose screen it is.")] = None,
    size: Annotated[
        str | None, typer.Option("--size", help="Columns x lines, where the file does not say.")
    ] = None,
    json: Json = False,
) -> None:
    """Feed a recording through screen and scrapers."""
    reader = read_through(file, agent, size_of(size))
    if json:
        print_json(
            {
                "agent": reader.agent,
                "columns": reader.terminal.columns,
                "lines": reader.terminal.lines,
                "status": [
                    {"at": round(change.at, 3), "state": str(change.state), "rule": change.rule}
                    for change in reader.status
                ],
                "turns": [
                    {"role": str(turn.role), "parts": [part_to_plain(part) for part in turn.parts]}
                    for turn in reader.turns
                ],
                "history": len(reader.terminal.history),
                "gaps": [_gap(gap) for gap in reader.gaps],
            }
        )
        return
    for change in reader.status:
        print(f"{change.at:9.2f}s  {change.state:8}  {paint(line(change.rule or '', 60), '2')}")
    for turn in reader.turns:
        print()
        print(f"{paint(str(turn.role), '1')}")
        for text in (
            turn.text or " · ".join(part_to_plain(p)["type"] for p in turn.parts)
        ).splitlines():
            print(f"  {line(text)}")


def _gap(gap: Any) -> Any:
    import msgspec

    return msgspec.to_builtins(gap)
