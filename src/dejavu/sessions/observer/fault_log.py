"""What went wrong in an observer: counted, logged once a kind, and told to the user in a sentence.

Memory: O(kinds of failure), at most `_KINDS`.

Tested in: tests/sessions/observer/test_observer.py
"""

import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable

_KINDS = 1000


class FaultLog:
    """The faults of one session; `note` takes a sentence for the user."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.counts = Counter[str]()
        self.session = "-"
        self.note = note

    def record(self, duty: str, error: Exception) -> None:
        """Note an unexpected error; the first of its kind is logged with its trace."""
        kind = f"{duty} failed: {type(error).__name__}"
        if self.is_first(kind):
            traceback.print_exception(error)
            self.note(f"{kind}; `dejavu doctor` shows the log")

    def is_first(self, failure: str) -> bool:
        """Count a failure; one that is new is logged."""
        if len(self.counts) >= _KINDS and failure not in self.counts:
            failure = "more kinds of failure"
        self.counts[failure] += 1
        if self.counts[failure] == 1:
            print(time.strftime("%F %T"), self.session, failure, file=sys.stderr)
        return self.counts[failure] == 1
