"""The browser of `dejavu` on a terminal: conversations on the left, one of them on the right.

Takes the archive and the running sessions; draws, and loads only what it draws. Needs the extra
`tui` (Textual); nothing else of ours imports this package before it is asked for. Every text that
an agent wrote goes through `wording.safe` (or, rendered, through `turn_view`) before it is drawn,
and never is markup.
"""

from .app import Browser, browse

__all__ = ["Browser", "browse"]
