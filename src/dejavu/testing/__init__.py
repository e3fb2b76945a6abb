"""The public name of the pytest plugin: everything is in `dejavu.extensions.testing`.

Tests of terminal programs write `from dejavu.testing import TIME`. Names load on first use.
"""

from __future__ import annotations

from dejavu import names_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dejavu.extensions.testing import (
        PATH,
        SPINNER,
        TIME,
        CastFixture,
        GoldenMismatchError,
        Mask,
        Program,
        ProgramEndedError,
        ProgramError,
        RecordedSession,
        Screen,
        TerminalFixture,
        WaitError,
    )

__all__ = [
    "PATH",
    "SPINNER",
    "TIME",
    "CastFixture",
    "GoldenMismatchError",
    "Mask",
    "Program",
    "ProgramEndedError",
    "ProgramError",
    "RecordedSession",
    "Screen",
    "TerminalFixture",
    "WaitError",
]


__getattr__ = names_on_first_use(__name__, dict.fromkeys(__all__, "dejavu.extensions.testing"))
