"""`dejavu doctor`: check the installation, worst findings first, each with its fix.

Exit code 0 if there is no error (warnings are none), 1 otherwise.
"""

from __future__ import annotations

import platform
import shutil
from typing import TYPE_CHECKING, Annotated

from dejavu.model import InvalidValueError

from ..command_line.output import one_line, print_json, print_note, style
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError
from ..command_line.version import version
from ..doctor import Finding, Severity, run_checks, worst_first
from ..doctor.installation import restore_terminal

_MARKS = {Severity.OK: ("32", "✓"), Severity.WARNING: ("33", "!"), Severity.ERROR: ("31", "✗")}

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    names: Annotated[
        list[str] | None,
        Argument(metavar="AGENT", help="Show what is read of these agents.", complete="agents"),
    ] = None,
    fix_tty: Annotated[
        bool, Option("--fix-tty", help="Restore the modes of this terminal, and stop.")
    ] = False,
    versions: Annotated[
        bool, Option("--versions", help="Run each agent's --version (5 s each at most).")
    ] = False,
    agents: Annotated[
        bool, Option("--agents", help="List supported agents and their conversations here.")
    ] = False,
    here: Annotated[
        bool, Option("--here", help="With --agents: only those with something on this machine.")
    ] = False,
    everything: Annotated[bool, Option("--all", help="Also show each check that passed.")] = False,
    json: Json = False,
) -> None:
    """Check the installation and suggest fixes."""
    if fix_tty:
        if not restore_terminal():
            raise InvalidValueError("--fix-tty needs a terminal on stdin")
        print_note("the terminal has its usual modes again")
        return
    if agents or names:
        from ..command_line.agents import print_agents  # of use to this form alone

        print_agents(names, here=here, json=json)
        return
    if here:
        raise InvalidValueError("--here needs --agents")
    findings = worst_first(list(run_checks(ask=versions)))
    healthy = all(finding.severity is not Severity.ERROR for finding in findings)
    if json:
        print_json(
            {
                "version": version(),
                "python": platform.python_version(),
                "system": platform.platform(),
                "healthy": healthy,
                "findings": [finding.to_dict() for finding in findings],
            }
        )
    else:
        print(f"dejavu {version()}, Python {platform.python_version()}, {platform.platform()}")
        _print(findings, everything=everything)
    if not healthy:
        raise ExitError(1)


def _print(findings: list[Finding], *, everything: bool) -> None:
    """Problems with their fixes; what passed in one paragraph, or one by one."""
    passed = [finding for finding in findings if finding.severity is Severity.OK]
    for finding in findings if everything else findings[: len(findings) - len(passed)]:
        colour, mark = _MARKS[finding.severity]
        print(f"{style(mark, colour)} {one_line(finding.subject)}: {one_line(finding.message)}")
        if finding.fix:
            print(f"    fix: {one_line(finding.fix)}")
    if everything or not passed:
        return
    import textwrap

    names = ", ".join(one_line(finding.subject) for finding in passed)
    width = min(100, shutil.get_terminal_size((80, 24)).columns)
    text = f"{len(passed)} checks passed: {names} (--all shows each)"
    rows = textwrap.wrap(text, max(20, width - 2), subsequent_indent="  ")
    print(f"{style('✓', '32')} " + "\n".join(rows))
