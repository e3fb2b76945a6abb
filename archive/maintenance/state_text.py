"""Text in a parser's state: titles and messages of turns that were pruned, blanked out.

A state is msgpack; what is in it is its parser's business. What it needs to go on are ids, paths,
counts and the bytes of a record that is not whole yet. Blanked is what agents and the model call
said: the parts of turns, titles, contents, what tools were given and gave; and any other string with a
blank in it that is no path. Types stay, so that the parser reads it as before. Costs O(state).
"""

from typing import Any

import msgspec

_SAID = frozenset(
    ("parts", "title", "content", "text", "args", "arguments", "result", "resultDisplay", "response",
     "output")
)  # fmt: skip


def without_text(state: bytes) -> bytes | None:
    """Return the state without what was said; None where it is no msgpack."""
    try:
        return msgspec.msgpack.encode(_blanked(msgspec.msgpack.decode(state, strict=False)))
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def _blanked(value: Any) -> Any:
    match value:
        case str():
            prose = any(char.isspace() for char in value) and not value.startswith(("/", "~"))
            return "" if prose else value
        case bytes() if value[:1] >= b"\x80" and (inner := without_text(value)):
            return inner
        case dict():
            return {
                key: _empty(item) if key in _SAID else _blanked(item) for key, item in value.items()
            }  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any msgpack
        case list() | tuple():
            return [_blanked(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any msgpack
        case _:
            return value


def _empty(value: Any) -> Any:
    """The empty value of the same type."""
    return type(value)() if isinstance(value, str | list | dict) else value  # pyright: ignore[reportUnknownVariableType] - any msgpack
