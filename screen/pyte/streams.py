"""pyte's `Stream` and `ByteStream`: text or bytes to a screen.

A screen of ours gets the text whole and interprets it itself, which is what makes it fast. Where a
program wants the events (its screen overrides some, or the stream's tables were changed), and for
any other listener, pyte's own parser sends them one by one. Which of the two is decided when a
screen is attached, as pyte documents.

Tested in: tests/screen/test_pyte.py
"""

import re
from typing import Any

import pyte
from pyte import control

from .events import Screen

_PACKAGE = __name__.rpartition(".")[0]
_HOOKS = ("before_event", "after_event")
_TABLES = ("basic", "escape", "sharp", "csi")
_PYTE_TABLES = {name: dict(getattr(pyte.Stream, name)) for name in _TABLES}
# pyte obeys these C1 controls, which our tokenizer drops; in 7-bit form they are the same.
_SEVEN_BIT = {
    control.CSI_C1: control.CSI_C0,
    control.OSC_C1: control.OSC_C0,
    control.ST_C1: control.ST_C0,
}
_C1 = re.compile(f"[{''.join(_SEVEN_BIT)}]")


def _is_ours(function: object) -> bool:
    return getattr(function, "__module__", "").startswith(f"{_PACKAGE}.")


class Stream(pyte.Stream):
    """Text to a screen; see `pyte.Stream`."""

    _whole: Screen | None = None  # the screen that gets the text whole

    def attach(self, screen: Any) -> None:
        """Make `screen` the listener. Raises TypeError where it lacks an event method."""
        super().attach(screen)
        self._whole = screen if self._takes_text(screen) else None

    def _takes_text(self, screen: object) -> bool:
        """Whether nothing wants to see the events of this screen."""
        if not isinstance(screen, Screen) or vars(screen).keys() & self.events:
            return False
        if any(getattr(self, name) != table for name, table in _PYTE_TABLES.items()):
            return False
        methods = (getattr(type(screen), name, None) for name in (*self.events, *_HOOKS))
        return all(method is None or _is_ours(method) for method in methods)

    def feed(self, data: str) -> None:
        """Send text to the screen. Raises RuntimeError where there is none."""
        if self._whole is None or self.listener is None or not self.use_utf8:
            super().feed(data)
            return
        if not data.isascii():
            data = _C1.sub(lambda match: _SEVEN_BIT[match[0]], data)
        self._whole.interpret(data)


class ByteStream(pyte.ByteStream, Stream):  # type: ignore[misc] # as in pyte, its feed takes bytes
    """Bytes to a screen, decoded as UTF-8, or as 8 bits each while `use_utf8` is False."""
