"""`dejavu remember TEXT`: keep a memory for the prompts to come."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from dejavu.archive.access import open_archive
from dejavu.recall import MemoryRecord
from dejavu.recall.factory import open_memory

from .options import Json
from .output import line, note, paint, print_json


def command(
    text: Annotated[
        list[str] | None, typer.Argument(help="What to remember; `-` or nothing reads stdin.")
    ] = None,
    workspace: Annotated[
        str, typer.Option("--workspace", "-w", help="Holds only in this workspace.")
    ] = "",
    source: Annotated[str, typer.Option("--source", help="Who says so.")] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A word to find it by.")] = None,
    take_over: Annotated[
        Path | None, typer.Option("--import", help="Take over a deja-local SQLite file.")
    ] = None,
    json: Json = False,
) -> None:
    """Keep a memory; what it contradicts is superseded, what says the same is kept once."""
    if take_over is not None:
        with open_archive(write=True) as archive:
            count = open_memory(archive).import_deja_local(take_over)
        if json:
            print_json({"imported": count})
        else:
            note(f"{count} memories taken over from {take_over}")
        return
    words = sys.stdin.read() if text in (None, [], ["-"]) else " ".join(text or ())
    if not words.strip():
        raise typer.BadParameter("a memory cannot be empty")
    where = str(Path(workspace).expanduser().absolute()) if workspace else ""
    with open_archive(write=True) as archive:
        memory = open_memory(archive)
        before = memory.size
        try:
            kept = memory.remember(words, source=source, workspace=where, tags=tuple(tag or ()))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        known = memory.size == before
    if json:
        print_json({**plain(kept), "known": known})
    elif known:
        print(f"{paint(kept.id, '2')} known already: {line(kept.text, 200)}")
    else:
        took = f", supersedes {', '.join(kept.supersedes)}" if kept.supersedes else ""
        print(f"{paint(kept.id, '2')} remembered{took}")


def plain(memory: MemoryRecord) -> dict[str, object]:
    """A memory as JSON; the vector stays inside, moments are Unix seconds as kept."""
    fields: dict[str, object] = {
        name: getattr(memory, name)
        for name in memory.__struct_fields__
        if name not in ("vector", "space", "order")
    }
    return {name: msgspec.to_builtins(value) for name, value in fields.items()}
