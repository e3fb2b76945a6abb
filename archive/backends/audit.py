"""Telling a shared archive what was done to it as a whole; a folder keeps no audit.

Tested in: tests/extensions/teams/test_postgres_audit.py
"""

from typing import Protocol, runtime_checkable

from .backend import Backend


@runtime_checkable
class Audited(Protocol):
    """A store with an audit."""

    def note_work(self, action: str, name: str, detail: dict[str, int | str]) -> None:
        """Add a line: `action` is restore, repair, migrate, redact or mask secrets."""
        ...


def note_work(backend: Backend, action: str, name: str, **detail: int | str) -> None:
    """Let the audit say what this program did, to what, and how much."""
    if isinstance(backend, Audited):
        backend.note_work(action, name, detail)
