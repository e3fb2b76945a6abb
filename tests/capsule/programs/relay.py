# ruff: noqa: PTH123
"""The relay for tests: what passed is written to $SEEN, a line an event."""

import json
import os
import sys
from contextlib import suppress

from dejavu.capsule import StdioRelay
from dejavu.capsule.events import Event


class Record:
    """A sink that writes down what it is told, and fails where it is told to."""

    def __init__(self) -> None:
        self._file = open(os.environ["SEEN"], "wb", buffering=0)  # noqa: SIM115 - as long as we run
        self._left = int(os.environ.get("BROKEN_AFTER", "-1"))

    def event(self, event: Event) -> None:
        self._left -= 1
        if self._left == 0:
            raise ValueError("no more of this")
        data = getattr(event, "data", b"")
        head = {"kind": event.kind, "size": len(data), "status": getattr(event, "status", None)}
        self._file.write(json.dumps(head).encode() + b"\n" + data)

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()


sys.exit(StdioRelay(sys.argv[1:], dict(os.environ), sinks=[Record()]).run())
