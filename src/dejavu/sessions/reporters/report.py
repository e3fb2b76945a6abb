"""What hosts are told of a session.

Tested in: tests/sessions/reporters/test_reporters.py
"""

from typing import NamedTuple

_LONGEST = 200


class Report(NamedTuple):
    """One state of one session. Texts are one line without control characters.

    `pending`: what runs in the background, by kind, and how much of it.
    """

    state: str
    agent: str
    session: str
    name: str
    message: str = ""
    pending: tuple[tuple[str, int], ...] = ()

    @property
    def needs_person(self) -> bool:
        """Whether a person should look."""
        return self.state in ("blocked", "done", "error")


def one_line(text: str) -> str:
    """`text` as a host may show it."""
    line = " ".join(text.split())
    return "".join(letter for letter in line if letter.isprintable())[:_LONGEST]
