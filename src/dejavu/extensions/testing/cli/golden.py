"""`dejavu golden record -- CMD`: a pytest file and its golden screens, from a live session.

The program runs in this terminal with a throw-away HOME; Ctrl+] keeps the screen, twice it ends the
recording. It is then played once more: what differs is masked or named. Exit codes: 0 written,
1 nothing kept or it plays differently, 2 no terminal.

Tested in: tests/extensions/testing/test_record.py
"""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Annotated

from dejavu.interfaces.command_line.output import print_note
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.interfaces.command_line.stdio import ExitError
from dejavu.model import CaptureError, ConfigError, InvalidValueError

_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")


def command(
    action: Annotated[str, Argument(help="record: write a test from a live session.")],
    program: Annotated[
        list[str], Argument(metavar="CMD", help="The program and its arguments, after --.")
    ],
    name: Annotated[str, Option("--name", help="The test's name; by default the program's.")] = "",
    into: Annotated[Path, Option("--into", help="The folder of the test file.")] = Path("tests"),
    overwrite: Annotated[bool, Option("--overwrite", help="Replace a test of this name.")] = False,
) -> None:
    """Write a test of a terminal program from a live session.

    CMD runs in this terminal; Ctrl+] keeps the screen, pressed twice it ends the recording.
    """
    if action != "record":
        raise InvalidValueError(f"{action!r} is not `record`")
    name = name or re.sub(r"\W+", "_", Path(program[0]).stem.lower()).strip("_")
    if not _NAME.fullmatch(name):
        raise InvalidValueError(f"{name!r} is not a test's name: use a-z, 0-9 and _ (--name)")
    if os.environ.get("CI"):
        raise ConfigError("golden screens are never written under CI")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("recording needs a terminal: the session is typed by a person")
    file = into / f"test_{name}.py"
    if file.exists() and not overwrite:
        raise CaptureError(f"{file} exists; --overwrite replaces it, --name gives it another name")
    from ..record import record

    into.mkdir(parents=True, exist_ok=True)
    print_note(f"recording {shlex.join(program)}: Ctrl+] keeps the screen, twice it ends")
    script = record(program, name, into)
    print(file)
    for note in script.notes:
        print_note(f"dejavu: {note}")
    if script.notes:
        raise ExitError(1)
    print_note(f"played once more it looked the same; run it with: pytest {file}")
