"""Blocks of code as `Markup`: a diff by its lines, code by its pieces, in colour.

A page colours no more characters than its budget, so that a long conversation opens as fast as one
without code. O(code).
"""

import re

from markupsafe import Markup

from dejavu.redact.sanitise import sanitise

from ..changes import as_change, is_diff
from ..highlight import LONGEST, pieces
from .diff import diff
from .markup import join, tag

_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")


class Colours:
    """Writes the blocks of code of one page, of which `budget` characters are coloured."""

    def __init__(self, budget: int) -> None:
        self._left = budget

    def code(self, content: str, language: str = "") -> Markup:
        """A block of code; a diff comes out in colour, whatever is left."""
        if language.lower() in ("diff", "patch") or is_diff(content):
            return diff(as_change(content).lines)
        named = language if _LANGUAGE.fullmatch(language) else ""
        body = tag(
            "code", self._coloured(content, named), class_=f"language-{named}" if named else None
        )
        return tag("pre", body, tabindex="0" if scrolls(content) else None)

    def _coloured(self, content: str, language: str) -> Markup:
        safe = sanitise(content)  # first: what is taken out must not stand between two pieces
        if not language or len(safe) > min(self._left, LONGEST):
            return join([safe])
        self._left -= len(safe)
        return join(
            tag("span", text, class_=f"c-{kind}") if kind else text
            for kind, text in pieces(safe, language)
        )


PLAIN = Colours(0)
"""For those who want no colours but a diff's."""


def scrolls(content: str) -> bool:
    """Whether a block of it may scroll on a phone, and so must be reachable by keyboard."""
    lines = content.splitlines()
    return len(lines) > 20 or any(len(line) > 42 for line in lines)
