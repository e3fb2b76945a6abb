"""Conversations as pages: self-contained, quiet, and safe whatever was said in them.

Takes conversations; gives HTML piece by piece (`as_html` one conversation, `as_index` many) and
says whether a page written earlier is current (`is_current`). `document`, `tag` and `STYLE` are
for other pages in the same hand. Never runs a script, never makes a page that fetches anything.
"""

from .conversation import as_html
from .document import HEAD_BYTES, document, fingerprint, is_current
from .index import as_index
from .markup import join, line, tag, text
from .style import STYLE

__all__ = [
    "HEAD_BYTES",
    "STYLE",
    "as_html",
    "as_index",
    "document",
    "fingerprint",
    "is_current",
    "join",
    "line",
    "tag",
    "text",
]
