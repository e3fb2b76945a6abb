"""Conversations as self-contained HTML pages that are safe whatever was said in them.

`as_html` writes one conversation and `as_index` the list of many, piece by piece; `is_current` says
whether a page written earlier still shows its conversation. `document`, `tag` and `STYLE` serve
other pages. No page runs a script or fetches anything.
"""

from .conversation import articles, as_html
from .document import HEAD_BYTES, document, fingerprint, is_current
from .index import as_index
from .markup import join, line, tag, text
from .style import STYLE

__all__ = [
    "HEAD_BYTES",
    "STYLE",
    "articles",
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
