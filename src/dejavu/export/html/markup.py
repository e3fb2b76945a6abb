"""Markup that is safe by construction: a text becomes markup by being escaped, and in no other way.

Takes texts (of agents, tools, web pages: hostile) and `Html` pieces; gives `Html`. Every `str` that
is not `Html` is sanitised and escaped where it enters a tag, so forgetting to do so is impossible
rather than unlikely. `Html(...)` is written only around constants of this package and around what
this module escaped. Costs O(text).
"""

from collections.abc import Iterable
from html import escape

from dejavu.redact.sanitise import sanitise

_VOID = frozenset({"hr", "img", "input", "link", "meta"})


class Html(str):
    """A text that is markup already."""

    __slots__ = ()


def text(content: str) -> Html:
    """`content` as the text of an element; an `Html` stays as it is."""
    return content if isinstance(content, Html) else Html(escape(sanitise(content), quote=False))


def line(content: str, limit: int | None = None) -> Html:
    """`content` as one line of text, cut to `limit` characters."""
    return Html(escape(sanitise(content.strip(), newlines=False, limit=limit), quote=False))


def join(pieces: Iterable[str | None], between: str = "") -> Html:
    """The pieces one after another; None is nothing."""
    return Html(text(between).join(text(piece) for piece in pieces if piece is not None))


def tag(name: str, /, *children: str | None, **attributes: str | bool | None) -> Html:
    """An element.

    Attribute names are written in Python: `class_` is `class`, `aria_label` is `aria-label`.
    True is an attribute without a value; None and False leave it out.
    """
    return Html(f"{opening(name, **attributes)}{join(children)}{closing(name)}")


def opening(name: str, /, **attributes: str | bool | None) -> Html:
    """The start tag of an element whose children are written one by one."""
    said = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_quoted(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{said}>")


def closing(name: str) -> Html:
    """The end tag, where the element has one."""
    return Html("" if name in _VOID else f"</{name}>")


def _quoted(value: str) -> str:
    return escape(sanitise(value, newlines=False), quote=True)
