"""What a test of a terminal program fails with; each message ends with the screen as it stood.

Tested in: tests/extensions/testing/test_program.py
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .rendering import Rendering


class ProgramError(AssertionError):
    """The program did not do what the test says. An assertion, so that pytest shows the message."""


class WaitError(ProgramError):
    """What was waited for did not come in time, or can not come any more."""


class ProgramEndedError(ProgramError):
    """Keys were sent to a program that has ended."""


class GoldenMismatchError(ProgramError):
    """The screen is not the golden one, or there is no golden one yet (`expected` is None)."""

    def __init__(
        self, message: str, name: str, expected: Rendering | None, actual: Rendering
    ) -> None:
        super().__init__(message)
        self.name = name
        self.expected = expected
        self.actual = actual
