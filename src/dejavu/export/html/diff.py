"""A change as `Markup`: a block with a span a line, in colour. O(lines)."""

from collections.abc import Iterable

from markupsafe import Markup

from ..changes import line_kind
from .markup import join, tag


def diff(lines: Iterable[str]) -> Markup:
    """The lines of a diff, each in the class of its kind; the signs stay in the text."""
    spans = (tag("span", line, class_=line_kind(line) or None) for line in lines)
    body = tag("code", join(spans))
    return tag("pre", body, class_="diff", tabindex="0", role="group", aria_label="Changes")
