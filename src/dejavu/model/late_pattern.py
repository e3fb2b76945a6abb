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


def late_pattern(source: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return the pattern of `source`, or of what it returns, to be compiled on first use.

    `re.error` is raised by that use. It is no argument for functions of `re`.
    """
    return cast("re.Pattern[str]", _LatePattern(source, flags))
