"""`dejavu doctor`: what is installed, what is captured, what is not well and how to cure it.

Exit code 0 if all is well (notes are no illness), 1 if something is bad.
"""

import platform
from typing import Annotated

import msgspec
import typer

from ..doctor import Grade, examine
from ..doctor.terminal import mend_terminal
from .app import our_version
from .options import Json
from .output import line, note, paint, print_json

_MARK = {Grade.GOOD: ("32", "✓"), Grade.NOTE: ("33", "!"), Grade.BAD: ("31", "✗")}


def command(
    fix_tty: Annotated[
        bool, typer.Option("--fix-tty", help="Give this terminal its usual modes back, and stop.")
    ] = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="Run each agent's --version (at most 5 s each).")
    ] = False,
    json: Json = False,
) -> None:
    """Say what is well and what is not."""
    if fix_tty:
        if not mend_terminal():
            raise typer.BadParameter("--fix-tty needs a terminal on stdin")
        note("the terminal has its usual modes again")
        return
    findings = list(examine(ask=versions))
    if json:
        print_json(
            {
                "version": our_version(),
                "python": platform.python_version(),
                "system": platform.platform(),
                "healthy": all(finding.grade is not Grade.BAD for finding in findings),
                "findings": [msgspec.to_builtins(finding) for finding in findings],
            }
        )
    else:
        print(f"dejavu {our_version()}, Python {platform.python_version()}, {platform.platform()}")
        for finding in findings:
            colour, mark = _MARK[finding.grade]
            print(f"{paint(mark, colour)} {line(finding.subject)}: {line(finding.told)}")
            if finding.cure:
                print(f"    {line(finding.cure)}")
    if any(finding.grade is Grade.BAD for finding in findings):
        raise typer.Exit(1)
