"""Waiting for what another process or thread does. A test never sleeps for a fixed time instead."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(what: Callable[[], T], seconds: float = 90.0, *, pause: float = 0.02) -> T:
    """Return the first true answer of a question, which is asked every `pause` seconds.

    Raises:
        AssertionError: there was none within `seconds`.
    """
    end = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < end, f"it did not happen in {seconds:g} s: {what}"
        time.sleep(pause)
    return answer
