"""Patterns that are compiled when they are first used.

A program that starts for every prompt cannot wait for hundreds of patterns, most of which it never
tries. For tables of patterns, and for large ones; a pattern that every run needs is compiled where
it is written. Does no I/O.
"""

import re
from collections.abc import Callable
from typing import Any, cast


class _LatePattern:
    """Has the attributes of the pattern it becomes, from the first that is asked for."""

    def __init__(self, source: str | Callable[[], str], flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copies and pickles ask for what no pattern has
            raise AttributeError(name)
        source = self._source if isinstance(self._source, str) else self._source()
        value = self.__dict__[name] = getattr(re.compile(source, self._flags), name)
        return value


def source_of(value: object) -> str | None:
    """The source of a pattern, also of a late one where it is known already; None for other values."""
    held: dict[str, object] = getattr(value, "__dict__", {}) if type(value) is _LatePattern else {}
    source: object = held.get("_source")
    if isinstance(value, re.Pattern):
        source = getattr(value, "pattern", None)  # pyright: ignore[reportUnknownArgumentType] - any pattern
    return source if isinstance(source, str) else None


def late_pattern(source: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return the pattern of `source`, or of what it returns, to be compiled on first use.

    `re.error` is raised by that use. It is no argument for functions of `re`.
    """
    return cast("re.Pattern[str]", _LatePattern(source, flags))
