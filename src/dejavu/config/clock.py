"""The time, asked in one place, so that a test may set it.

Tested in: tests/interfaces/cli/test_status.py
"""

import time


def now() -> float:
    """Unix seconds."""
    return time.time()
