"""The time, asked in one place, so that a test may set it."""

import time


def now() -> float:
    """Unix seconds."""
    return time.time()
