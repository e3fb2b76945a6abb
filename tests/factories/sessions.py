"""Sessions made by hand, for tests that need no agent."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.cli.test_status import start


@pytest.fixture
def session(home: Path) -> Callable[..., Path]:
    """`session("20260101-000000-aaaa", "idle")` makes a live session; gives its folder."""
    return start
