"""The public name of the pytest plugin: everything is in `dejavu.extensions.testing`.

Tests of terminal programs write `from dejavu.testing import TIME`. Names load on first use.
"""

from __future__ import annotations

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


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("dejavu.extensions.testing"), name)
