"""The browser of `dejavu` on a terminal: conversations on the left, one of them on the right.

Only what is drawn is loaded. `app` needs the extra `tui` (Textual) and is not imported before
it is asked for; `line_mode` reads the same by lines, for screen readers and terminals without a
cursor, and needs nothing. Every text that an agent wrote goes through `formatting.safe` (or,
rendered, through `turn_view`) before it is drawn, and never is markup.
"""

__all__: list[str] = []
