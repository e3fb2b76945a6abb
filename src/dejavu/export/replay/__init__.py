"""A recording seen again: frame by frame, on a terminal, and beside another terminal.

Takes a recording; gives its frames, a viewer to step through them, a film of them (`svg`, and `gif`
where Pillow is), and the first place where xterm.js or tmux shows something else.
"""

from .animation import Shot, film
from .ansi import plain
from .difference import PEERS, Difference, Verdict, compare
from .playback import Frame, Playback
from .svg import as_svg
from .viewer import Viewer, view

__all__ = [
    "PEERS",
    "Difference",
    "Frame",
    "Playback",
    "Shot",
    "Verdict",
    "Viewer",
    "as_svg",
    "compare",
    "film",
    "plain",
    "view",
]
