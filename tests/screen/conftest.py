"""What the screen's tests share: a terminal from bytes, and hostile byte streams."""

from collections.abc import Callable

import pytest
from hypothesis import strategies as st

from dejavu.extensions.testing import strategies
from dejavu.screen import Terminal


@pytest.fixture(scope="session")
def streams() -> st.SearchStrategy[bytes]:
    """Byte streams such as a hostile or half-broken program writes."""
    return strategies.streams()


@pytest.fixture(scope="session")
def after() -> Callable[..., Terminal]:
    """`after("text", columns=20, lines=5)`: a terminal that was fed this."""

    def make(data: str | bytes, columns: int = 20, lines: int = 5, history: int = 100) -> Terminal:
        terminal = Terminal(columns, lines, history=history)
        terminal.feed(data.encode() if isinstance(data, str) else data)
        return terminal

    return make
