"""Conversations as something to read or to take along: text, markdown, JSON.

Takes conversations; gives text. One module a form; never prints, never reads the archive.
"""

from .markdown import as_markdown
from .text import as_text

__all__ = ["as_markdown", "as_text"]
