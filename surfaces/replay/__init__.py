"""A recording seen again: frame by frame, on a terminal, and beside another terminal.

Takes a recording; gives its frames, a viewer to step through them, and the first place where
xterm.js or tmux shows something else.
"""

from .difference import PEERS, Difference, Verdict, compare
from .playback import Frame, Playback
from .styled import plain
from .viewer import Viewer, view

__all__ = [
    "PEERS",
    "Difference",
    "Frame",
    "Playback",
    "Verdict",
    "Viewer",
    "compare",
    "plain",
    "view",
]
