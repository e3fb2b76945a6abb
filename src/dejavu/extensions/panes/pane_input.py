"""What `ControlServer` controls where the session is a pane: its input, through the multiplexer.

It must not decide the pane's size or write to the multiplexer's own terminal.

Tested in: tests/extensions/panes/test_watcher.py
"""

import math
import time
from collections.abc import Callable

from dejavu.capsule import Size
from dejavu.model import CaptureError

from .multiplexer import Multiplexer, Pane

_PASTE = b"\x1b[200~", b"\x1b[201~"


class PaneInput:
    """A pane as an `InputTarget`. `pane` and `size` follow what the multiplexer says."""

    def __init__(self, pane: Pane, multiplexer: Multiplexer, log: Callable[[str], None]) -> None:
        self.pane, self._multiplexer, self._log = pane, multiplexer, log
        self.size = Size(pane.columns, pane.lines)
        self.mode = "pane"  # it has a window already, and is not attached to
        self.offset = 0
        self.input_offset, self.input_at = 0, -math.inf  # what others type into a pane is not seen
        self.input_full = False

    def set_size(self, columns: int, lines: int) -> bool:  # noqa: ARG002 - its multiplexer decides
        """Refuse another size."""
        return False

    def report(self, data: bytes) -> bool:
        """Never: the multiplexer's terminal is not ours to write to."""
        del data
        return False

    announce = report

    def type(self, data: bytes) -> bool:
        """Type into the pane; False where its multiplexer refuses."""
        begin, end = _PASTE
        paste = data.startswith(begin) and data.endswith(end)
        text = data[len(begin) : -len(end)] if paste else data
        try:
            self._multiplexer.write(self.pane, text, paste=paste)
        except CaptureError as error:
            self._log(f"{self.pane.source}: {error}")
            return False
        self.input_offset, self.input_at = self.input_offset + len(data), time.monotonic()
        return True
