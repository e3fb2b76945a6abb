"""`dejavu doctor`: what is installed, what is captured, what is not well and how to cure it.

Exit code 0 if all is well (notes are no illness), 1 if something is bad.
"""

import platform
from typing import Annotated

import msgspec
import typer

from ..doctor import Grade, examine
from ..doctor.terminal import mend_terminal
from .options import Json
from .output import one_line, print_json, print_note, style
from .version import version

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
    """Check the installation and suggest fixes."""
    if fix_tty:
        if not mend_terminal():
            raise typer.BadParameter("--fix-tty needs a terminal on stdin")
        print_note("the terminal has its usual modes again")
        return
    findings = list(examine(ask=versions))
    if json:
        print_json(
            {
                "version": version(),
                "python": platform.python_version(),
                "system": platform.platform(),
                "healthy": all(finding.grade is not Grade.BAD for finding in findings),
                "findings": [msgspec.to_builtins(finding) for finding in findings],
            }
        )
    else:
        print(f"dejavu {version()}, Python {platform.python_version()}, {platform.platform()}")
        for finding in findings:
            colour, mark = _MARK[finding.grade]
            print(f"{style(mark, colour)} {one_line(finding.subject)}: {one_line(finding.told)}")
            if finding.cure:
                print(f"    {one_line(finding.cure)}")
    if any(finding.grade is Grade.BAD for finding in findings):
        raise typer.Exit(1)
