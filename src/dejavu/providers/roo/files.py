"""Roo Code: Cline's tasks, with their descriptions next to them.

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from ..kilo.files import task_facts
from ..protocol import Source
from ..store_provider import StoreProvider
from . import AGENT


class Roo(StoreProvider):
    """Provider of the extension's tasks."""

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """What is next to a task."""
        return task_facts(source, stored)


PROVIDER = Roo(AGENT)
