"""`dejavu code recover PATH --at WHEN|ID#TURN`: what a file held before a change, to stdout.

Tested in: tests/interfaces/cli/test_code_commands.py
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import resolve
from dejavu.interfaces.command_line.output import print_json, print_note
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.interfaces.filters import decoded, parse_time
from dejavu.interfaces.turn_range import parse_turns
from dejavu.model import InvalidValueError

from ..open_index import open_edits
from ..recover import recover

if TYPE_CHECKING:
    from dejavu.interfaces.command_line.parameters import Json


def command(
    path: Annotated[str, Argument(metavar="PATH", help="The file, which may be gone.")],
    at: Annotated[
        str,
        Option("--at", metavar="WHEN", help="A time (2d, 2026-11-21), or a turn: ID#12, ID#last."),
    ] = "now",
    json: Json = False,
) -> None:
    """Print what a file held before a time or a turn."""
    name = decoded(path)
    paths = list(dict.fromkeys([os.path.abspath(name), str(Path(name).absolute().resolve()), name]))  # noqa: PTH100 - `..` has to go
    conversation, mark, named = at.partition("#")
    chosen = parse_turns(named) if mark else None
    if chosen is not None and chosen.stop not in (None, chosen.start + 1):
        raise InvalidValueError(f"{at!r} names several turns; write ID#12 or ID#last")
    with open_edits() as (archive, index):
        turn = None
        if chosen is not None:
            identity = archive.resolve(resolve(archive, conversation))
            turn = identity, chosen.within(archive.summary(identity).turn_count).start
        found = recover(archive, index, paths, at=None if mark else parse_time(at), turn=turn)
    if json:
        print_json(
            {
                "path": found.edit.path, "content": found.text, "whole": found.whole,
                "reason": found.reason or None, "conversation": found.edit.conversation,
                "seq": found.edit.seq,
            }
        )  # fmt: skip
        return
    if not found.whole:
        print_note(f"only the replaced lines: {found.reason}")
    if sys.stdout.isatty():
        from dejavu.redact.sanitise import sanitise

        sys.stdout.write(sanitise(found.text))
        return
    sys.stdout.write(found.text)  # a file's content, for a file
