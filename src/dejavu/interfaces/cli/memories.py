"""`dejavu memories [ID]`: what is remembered; with an id, the history of one memory."""

from typing import Annotated

import typer

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.recall import Memory, MemoryRecord
from dejavu.recall.factory import workspace_of
from dejavu.recall.injection import switch

from .options import Json, JsonLines, Limit, Workspace
from .output import line, note, paint, print_json, print_jsonl
from .recall import moment
from .remember import plain


def command(
    memory: Annotated[
        str | None, typer.Argument(help="Show the chain this memory belongs to.")
    ] = None,
    workspace: Workspace = None,
    limit: Limit = 50,
    offset: Annotated[int, typer.Option("--offset", min=0, help="Leave out so many.")] = 0,
    current: Annotated[
        bool, typer.Option("--current", help="Leave out what was superseded.")
    ] = False,
    inject: Annotated[
        bool | None,
        typer.Option(
            "--inject/--no-inject", help="Switch injection on or off (in --workspace, or at all)."
        ),
    ] = None,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """List memories, the newest first."""
    told: list[MemoryRecord] = []
    try:
        with open_archive(write=inject is not None) as archive:
            where = workspace_of(archive, workspace)
            if inject is not None:
                switch(archive, where or "", on=inject)
                note(f"injection is {'on' if inject else 'off'} in {where or 'every workspace'}")
                return
            held = Memory(archive)
            told = (
                held.history(held.get(memory))
                if memory
                else held.list(limit=limit, offset=offset, workspace=where, superseded=not current)
            )
    except NoArchiveError:
        pass  # nothing is remembered there, either: said below
    if jsonl:
        print_jsonl(plain(one) for one in told)
    elif json:
        print_json({"memories": [plain(one) for one in told]})
    else:
        for one in told:
            old = f" superseded by {one.superseded_by}" if one.superseded_by else ""
            print(f"{paint(one.id, '2')} {moment(one.created_at)} {one.confidence:<5}{old}")
            print(f"    {line(one.text, 300)}")
        if not told:
            note("nothing is remembered yet; `dejavu remember TEXT` begins")
