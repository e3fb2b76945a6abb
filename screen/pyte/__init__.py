"""pyte's public interface over our grid: a program written for pyte changes one import.

    from dejavu.screen import pyte

    screen = pyte.HistoryScreen(80, 24, history=1000)
    stream = pyte.ByteStream(screen)
    stream.feed(data)
    screen.display, screen.cursor.x, screen.buffer[0][0].fg, screen.dirty, screen.history.top

Bytes and text that go through a stream are interpreted by the grid, as terminals interpret them:
what pyte loses, prints or raises on is right here (docs/terminal.md). A stream whose tables were
changed, or whose screen overrides event methods, gets its events one by one from pyte's own parser.
Methods a program calls itself (`screen.resize`, `screen.save_cursor` ...) do what pyte documents.
pyte's constants (`control`, `escape`, `modes` ...) are pyte's own.
"""

from pyte import DebugScreen, charsets, control, escape, graphics, modes

from . import chars, screens, streams
from .screens import DiffScreen, HistoryScreen, Screen
from .streams import ByteStream, Stream

__all__ = [
    "ByteStream",
    "DebugScreen",
    "DiffScreen",
    "HistoryScreen",
    "Screen",
    "Stream",
    "chars",
    "charsets",
    "control",
    "escape",
    "graphics",
    "modes",
    "screens",
    "streams",
]
