"""`dejavu export`: take conversations out, one to stdout or all into a folder.

`--format raw` gives the agent's own bytes back, exactly. Files are 0600; a file that is there
already is left alone unless `--overwrite` is given. Costs O(what is exported).
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dejavu.archive import Archive
from dejavu.record import Conversation, NotFound, conversation_to_plain, turn_to_plain

from ..compose import open_archive, resolve
from ..paths import private_folder
from ..render import as_markdown
from .output import json_text, note


class Form(StrEnum):
    """The forms a conversation can be taken out in."""

    MD = "md"
    JSON = "json"
    JSONL = "jsonl"
    RAW = "raw"


def _json(_archive: Archive, conversation: Conversation) -> Iterator[bytes]:
    yield json_text(conversation_to_plain(conversation, turns=True), indent=1).encode() + b"\n"


def _jsonl(_archive: Archive, conversation: Conversation) -> Iterator[bytes]:
    yield json_text(conversation_to_plain(conversation)).encode() + b"\n"
    for turn in conversation.turns:
        yield json_text(turn_to_plain(turn)).encode() + b"\n"


def _markdown(_archive: Archive, conversation: Conversation) -> Iterator[bytes]:
    yield as_markdown(conversation).encode()


def _raw(archive: Archive, conversation: Conversation) -> Iterator[bytes]:
    sources = archive.sources(conversation.id)
    if not sources:
        raise NotFound(
            f"{conversation.id} was read from the screen and has no raw bytes; "
            "`--format json` or `md` has its turns"
        )
    for key in sources:
        yield from archive.raw(key)


_WRITERS: dict[Form, Callable[[Archive, Conversation], Iterator[bytes]]] = {
    Form.MD: _markdown,
    Form.JSON: _json,
    Form.JSONL: _jsonl,
    Form.RAW: _raw,
}


def _write_file(path: Path, pieces: Iterable[bytes], overwrite: bool) -> bool:
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if overwrite else os.O_EXCL)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(pieces)
    return True


def command(
    wanted: Annotated[
        str | None,
        typer.Argument(
            metavar="ID", help="A conversation's id, or its beginning; `last` is the newest."
        ),
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", "-f", help="The form to take it out in.")
    ] = Form.MD,
    every: Annotated[
        bool, typer.Option("--all", help="Every conversation, into a folder.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file, or with --all a folder.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that exist.")
    ] = False,
) -> None:
    """Take conversations out of the archive."""
    if every == (wanted is not None):
        raise typer.BadParameter("name one conversation, or give --all")
    write = _WRITERS[form]
    with open_archive() as archive:
        if not every:
            pieces = write(archive, archive.get(resolve(archive, wanted or "")))
            if output is None:
                for piece in pieces:
                    sys.stdout.buffer.write(piece)
            elif not _write_file(output, pieces, overwrite):
                raise typer.BadParameter(f"{output} exists; --overwrite replaces it")
            return
        if output is None:
            raise typer.BadParameter("--all needs a folder: -o DIR")
        private_folder(output)
        written = kept = 0
        for head in archive.scan():
            path = output / f"{head.agent}-{head.id}.{'native' if form is Form.RAW else form}"
            try:
                fresh = _write_file(path, write(archive, archive.get(head.id)), overwrite)
            except NotFound as error:
                path.unlink(missing_ok=True)
                note(f"left out: {error}")
                continue
            written, kept = written + fresh, kept + (not fresh)
    note(f"{written} written to {output}" + (f", {kept} were there already" if kept else ""))
