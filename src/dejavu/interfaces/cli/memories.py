"""`dejavu memory list [ID]`: the stored memories; with an id, the history of one of them."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.recall import Memory, MemoryRecord
from dejavu.recall.factory import workspace_of
from dejavu.recall.injection import switch, switched_off

from ..command_line.output import (
    local_time,
    one_line,
    page,
    print_jsonl,
    print_note,
    print_rows,
    style,
)
from ..command_line.parameters import Argument, Option
from ..command_line.terminal import folder as folder_name
from .remember import to_dict

if TYPE_CHECKING:
    from ..command_line.parameters import Json, JsonLines, Offset, RowLimit, Workspace


def command(
    memory_id: Annotated[
        str | None,
        Argument(
            help="Show what this memory replaced and what replaced it.",
            metavar="ID",
            complete="memories",
        ),
    ] = None,
    workspace: Workspace = None,
    limit: RowLimit = None,
    offset: Offset = 0,
    current: Annotated[bool, Option("--current", help="Leave out superseded memories.")] = False,
    inject: Annotated[
        bool | None,
        Option(
            "--inject/--no-inject", help="Switch injection on or off, in --workspace or everywhere."
        ),
    ] = None,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """List memories, newest first."""
    memories: list[MemoryRecord] = []
    off: list[str] = []
    most = limit or (1_000_000_000 if json or jsonl else 50)
    following: int | None = None
    folder: str | None = None
    try:
        with open_archive(write=inject is not None) as archive:
            folder = workspace_of(archive, workspace)
            if inject is not None:
                switch(archive, folder or "", on=inject)
                _print_injection(switched_off(archive), folder)
                return
            off = switched_off(archive)
            store = Memory(archive)
            if memory_id:
                memories = store.history(store.get(memory_id))
            else:
                results = store.list(
                    limit=most + 1, offset=offset, workspace=folder, superseded=not current
                )
                memories, following = page(most, results)
    except NoArchiveError:
        pass  # nothing is stored then, which is said below
    if jsonl:
        print_jsonl(map(to_dict, memories))
    elif json:
        after = None if following is None else offset + following
        print_rows("memories", [to_dict(memory) for memory in memories], next_offset=after)
    else:
        for memory in memories:
            _print_memory(memory)
        if not memories:
            where = "" if folder is None else f" for {one_line(folder)}"
            print_note(f"no memories yet{where}; `dejavu memory add TEXT` stores one")
        if off:
            _print_injection(off, None)


def _print_memory(memory: MemoryRecord) -> None:
    old = f"  superseded by {memory.superseded_by}" if memory.superseded_by else ""
    print(
        f"{style(memory.id, '2')} {local_time(memory.created_at)}"
        f"  confidence {memory.confidence:g}  {_scope(memory)}{old}"
    )
    print(f"    {one_line(memory.text, 300)}")


def _print_injection(off: list[str], folder: str | None) -> None:
    """Where memory is added to prompts: in one workspace, or everywhere but some."""
    if "" in off:
        print_note("injection is off in every workspace")
        return
    if folder is not None:
        above = next((one for one in off if PurePath(folder).is_relative_to(one)), None)
        below = "" if above in (None, folder) else f", because it is off in {one_line(above or '')}"
        print_note(f"injection is {'on' if above is None else 'off'} in {folder}{below}")
        return
    if not off:
        print_note("injection is on in every workspace")
    for place in map(one_line, off):
        print_note(
            f"injection is on, except in {place}; "
            f"`dejavu memory list --inject -w {place}` switches it on there"
        )


def _scope(memory: MemoryRecord) -> str:
    """Where a memory applies, and its tags."""
    where = folder_name(one_line(memory.workspace)) if memory.workspace else "every project"
    return " ".join((where, *(f"#{one_line(tag, 40)}" for tag in memory.tags)))
