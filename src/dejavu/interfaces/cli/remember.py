"""`dejavu memory add TEXT`: store a memory; what it contradicts is marked superseded.

It holds in the workspace it was said in, unless it is to hold everywhere. Agents read it, so a secret in
it is replaced before it is stored.
A text that says the same as a stored one is stored once. Where the archive cannot be written now, the
memory waits on this machine.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from dejavu.archive.access import open_archive
from dejavu.archive.redactor import counting_redactor
from dejavu.config.paths import archive_location
from dejavu.model import (
    ArchiveError,
    ArchiveLockedError,
    ArchiveUnavailableError,
    InvalidValueError,
)
from dejavu.recall import Memory, MemoryRecord
from dejavu.recall.factory import memory_scope, open_memory
from dejavu.recall.injection_log import WaitingMemory, keep_memory

from ..command_line.output import one_line, print_json, print_note, style
from ..command_line.parameters import Argument, Option
from ..filters import decoded

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    text: Annotated[list[str] | None, Argument(help="The text; - or nothing reads stdin.")] = None,
    workspace: Annotated[
        str, Option("--workspace", "-w", help="The folder it applies to. [default: this one]")
    ] = "",
    everywhere: Annotated[
        bool, Option("--everywhere", help="It applies to every project.")
    ] = False,
    source: Annotated[str, Option("--source", help="Where it comes from.")] = "",
    tag: Annotated[
        list[str] | None, Option("--tag", help="A tag to find it by; repeatable.")
    ] = None,
    import_file: Annotated[
        Path | None, Option("--import", help="Import a deja-local SQLite file.")
    ] = None,
    json: Json = False,
) -> None:
    """Store a memory."""
    if import_file is not None:
        with open_archive(write=True) as archive:
            count = open_memory(archive).import_deja_local(import_file)
        if json:
            print_json({"imported": count})
        else:
            print_note(f"{count} memories imported from {import_file}")
        return
    content = sys.stdin.read() if text in (None, [], ["-"]) else decoded(" ".join(text or ()))
    if not content.strip():
        raise InvalidValueError("a memory cannot be empty")
    if everywhere and workspace:
        raise InvalidValueError("--everywhere and --workspace exclude each other")
    redactor = counting_redactor()
    content, source = redactor.redact(content), redactor.redact(decoded(source))
    tags = tuple(redactor.redact(decoded(one)) for one in tag or ())
    folder = decoded(str(Path(workspace or ".").expanduser().absolute()))
    if redactor.total:
        print_note(f"secrets left out, as agents read memories: {redactor.summary()}")
    scope = "" if everywhere else folder if workspace else None
    try:
        with open_archive(write=True) as archive:
            where = memory_scope(archive, folder) if scope is None else scope
            memory = open_memory(archive)
            before = memory.size
            stored = memory.remember(content, source=source, workspace=where, tags=tags)
            already_stored = memory.size == before
            doubts = _doubts(memory)
    except (ArchiveUnavailableError, ArchiveLockedError) as error:
        waiting = keep_memory(
            archive_location(), content, source=source, tags=tags, folder=folder, scope=scope
        )
        _print_waiting(waiting, error, as_json=json)
        return
    except InvalidValueError:
        raise
    except ValueError as error:
        raise InvalidValueError(str(error)) from error
    _print_stored(stored, doubts, known=already_stored, as_json=json)


def _doubts(memory: Memory) -> list[dict[str, object]]:
    """What the memory stored last may replace."""
    return [
        {"id": old, "text": memory.get(old).text, "probability": chance}
        for old, chance in memory.may_replace
    ]


def _print_stored(
    stored: MemoryRecord, doubts: list[dict[str, object]], *, known: bool, as_json: bool
) -> None:
    """Say what was stored, what it supersedes and what it may replace."""
    if as_json:
        print_json({**to_dict(stored), "known": known, "may_replace": doubts})
    elif known:
        print(f"{style(stored.id, '2')} already known: {one_line(stored.text, 200)}")
    else:
        replaced = f", supersedes {', '.join(stored.supersedes)}" if stored.supersedes else ""
        print(f"{style(stored.id, '2')} stored{replaced}")
        for doubt in doubts:
            print(
                f"may replace {doubt['id']} ({doubt['probability']:.0%} likely): "
                f"{one_line(str(doubt['text']), 200)}"
            )
        if doubts:
            print_note("both stay; `dejavu memory forget ID` removes the one that no longer holds")


def _print_waiting(waiting: WaitingMemory, why: ArchiveError, *, as_json: bool) -> None:
    """Say that a memory is kept here until the archive takes it."""
    print_note(f"{why}. The memory waits on this machine; the next `dejavu sync` stores it")
    if as_json:
        print_json({**msgspec.to_builtins(waiting), "waiting": True})
    else:
        print(f"{style(waiting.id, '2')} waiting")


def to_dict(memory: MemoryRecord) -> dict[str, object]:
    """A memory as JSON without its embedding; times are Unix seconds, as stored."""
    fields: dict[str, object] = {
        name: getattr(memory, name)
        for name in memory.__struct_fields__
        if name not in ("vector", "space", "order")
    }
    return {name: msgspec.to_builtins(value) for name, value in fields.items()}
