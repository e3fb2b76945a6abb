"""A home in which observer servers are allowed."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.sessions.observer.forked import server_pid


@pytest.fixture
def warm(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home in which servers are allowed; none stays behind."""
    monkeypatch.delenv("DEJAVU_WARM_OBSERVER")
    yield home
    if (pid := server_pid()) is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
