"""Conversations as text, markdown, HTML, OpenTelemetry traces, figures and films.

One module or folder a form. Nothing here prints; only `stats` reads the archive.
"""

from .markdown import as_markdown
from .text import as_text

__all__ = ["as_markdown", "as_text"]
