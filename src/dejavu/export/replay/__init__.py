"""Recordings replayed: frame by frame, in a viewer, as a film (SVG, GIF), and next to other terminals.

`compare` finds the first frame where xterm.js or tmux shows something else.
"""

from .animation import AnimationFrame, animate
from .ansi import text_rows
from .difference import PEERS, Difference, Verdict, compare
from .playback import Frame, Playback
from .svg import as_svg
from .viewer import Viewer, view

__all__ = [
    "PEERS",
    "AnimationFrame",
    "Difference",
    "Frame",
    "Playback",
    "Verdict",
    "Viewer",
    "animate",
    "as_svg",
    "compare",
    "text_rows",
    "view",
]
