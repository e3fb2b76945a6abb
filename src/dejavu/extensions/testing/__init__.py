"""Tests of terminal programs, for pytest: what a person would see, waited for and kept as golden files.

The plugin (`dejavu.extensions.testing.plugin`, entry point `pytest11`) has two fixtures:

    def test_form(terminal):
        app = terminal("python form.py", size=(60, 12))
        app.wait_for("Name:")
        app.type("Ada").press("Enter")
        app.assert_golden("greeting", masks=[TIME])

`terminal(command)` runs a program in a PTY with a throw-away HOME and returns a `Program`;
`cast(file)` reads a recording and returns a `RecordedSession`. `strategies` (needs hypothesis) has
byte streams and cuts for property tests. Uses capsule, screen and the pictures of `export.replay`;
nothing but the command `dejavu golden` imports this. Names load on first use, so that a pytest run
that needs none of it pays for one small module.
"""

from __future__ import annotations

from dejavu import names_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import GoldenMismatchError, ProgramEndedError, ProgramError, WaitError
    from .masks import PATH, SPINNER, TIME, Mask
    from .plugin import CastFixture, TerminalFixture
    from .program import Program
    from .recorded import RecordedSession
    from .screen import Link, Screen

_MODULES = {
    "CastFixture": ".plugin",
    "GoldenMismatchError": ".errors",
    "Link": ".screen",
    "Mask": ".masks",
    "PATH": ".masks",
    "Program": ".program",
    "ProgramEndedError": ".errors",
    "ProgramError": ".errors",
    "RecordedSession": ".recorded",
    "SPINNER": ".masks",
    "Screen": ".screen",
    "TIME": ".masks",
    "TerminalFixture": ".plugin",
    "WaitError": ".errors",
}

__all__ = [
    "PATH",
    "SPINNER",
    "TIME",
    "CastFixture",
    "GoldenMismatchError",
    "Link",
    "Mask",
    "Program",
    "ProgramEndedError",
    "ProgramError",
    "RecordedSession",
    "Screen",
    "TerminalFixture",
    "WaitError",
]


__getattr__ = names_on_first_use(__name__, _MODULES)
