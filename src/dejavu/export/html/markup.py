"""HTML elements from text that is escaped where it enters a tag.

Agents' and tools' texts are hostile. Every `str` that is not `markupsafe.Markup` is sanitised
(control and bidirectional characters) and escaped here, so a caller cannot forget it. `Markup(...)`
is written only around this package's constants and around what this module escaped. O(text).
"""

from collections.abc import Iterable

from markupsafe import Markup, escape

from dejavu.redact.sanitise import sanitise

_VOID = frozenset({"hr", "img", "input", "link", "meta"})


def text(content: str) -> Markup:
    """Return `content` as the text of an element; `Markup` is returned as it is."""
    return content if isinstance(content, Markup) else escape(sanitise(content))


def line(content: str, limit: int | None = None) -> Markup:
    """Return `content` as one line of text, cut to `limit` characters."""
    return escape(sanitise(content.strip(), newlines=False, limit=limit))


def join(pieces: Iterable[str | None], separator: str = "") -> Markup:
    """Join the pieces; None is left out."""
    escaped = [text(piece) for piece in pieces if piece is not None]
    return Markup(str(text(separator)).join(escaped))  # noqa: S704 - `Markup.join` would escape them once more


def tag(name: str, /, *children: str | None, **attributes: str | bool | None) -> Markup:
    """Return an element.

    Attribute names are written in Python: `class_` is `class`, `aria_label` is `aria-label`.
    True is an attribute without a value; None and False leave it out.
    """
    return Markup(f"{opening(name, **attributes)}{join(children)}{closing(name)}")  # noqa: S704 - all three are markup


def opening(name: str, /, **attributes: str | bool | None) -> Markup:
    """Return the start tag of an element whose children are written one by one."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_value(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>")  # noqa: S704 - its values were escaped above


def closing(name: str) -> Markup:
    """Return the end tag, or nothing for an element that has none."""
    return Markup("" if name in _VOID else f"</{name}>")  # noqa: S704 - names are constants


def _value(content: str) -> Markup:
    """Return an attribute's value; markup in it is text there, so that is escaped as well."""
    return escape(str(sanitise(content, newlines=False)))
