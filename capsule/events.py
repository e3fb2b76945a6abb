"""What happens in a session, as values, and who may listen.

An event is an immutable value; `at` is Unix seconds, `data` the agent's bytes as they came, `kind`
one letter that tells the classes apart in frames and recordings.
Plain slotted classes and no `dataclasses` or `typing` at run time: this module is imported before
the agent starts, and those two cost more than everything else here together.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    class Sink(Protocol):
        """Receives what happens. One that raises is dropped and noted, never asked again."""

        def event(self, event: Event, /) -> None:
            """Take one event; must return at once."""
            ...

        def close(self) -> None:
            """No event follows; must return at once."""
            ...

    class Pollable(Protocol):
        """Works through file descriptors that the session's loop watches for it."""

        @property
        def deadline(self) -> float | None:
            """The moment (monotonic seconds) at which `expire` is wanted; None: never."""
            ...

        def poll_fds(self) -> Sequence[tuple[int, int]]:
            """Pairs (fd, poll mask) it waits for now."""
            ...

        def ready(self, fd: int, /) -> None:
            """One of them is ready (or in error); must not block."""
            ...

        def expire(self) -> None:
            """The deadline has passed."""
            ...

        def is_behind(self) -> bool:
            """Whether it may need long for what it was given so far."""
            ...

        def abort(self) -> None:
            """Time is up: close what is open."""
            ...


class Event:
    """Base of all events: compared by value, printable, frozen by habit (slots, no setters)."""

    __slots__: tuple[str, ...] = ()
    __match_args__: tuple[str, ...] = ()
    kind = ""

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Event):
            return NotImplemented
        return type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), repr(self._values())))

    def __repr__(self) -> str:
        pairs = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({', '.join(pairs)})"


class Header(Event):
    """The session begins: its first event, once.

    `fields` (plain values): `at, argv, pid` (the agent's), `wrapper` (ours), `mode`
    (terminal|headless|direct), `columns, lines` (absent in direct mode), `term`, and what the
    caller adds.
    """

    __slots__ = ("fields",)
    __match_args__ = ("fields",)
    kind = "h"

    def __init__(self, fields: Mapping[str, object]) -> None:
        self.fields = fields


class Output(Event):
    """The agent wrote `data`; bytes of one burst stand together."""

    __slots__ = ("at", "data")
    __match_args__ = ("at", "data")
    kind = "o"

    def __init__(self, at: float, data: bytes) -> None:
        self.at = at
        self.data = data


class Input(Event):
    """The agent is given `data` to read; told where its stdin passes through us (`StdioRelay`)."""

    __slots__ = ("at", "data")
    __match_args__ = ("at", "data")
    kind = "i"

    def __init__(self, at: float, data: bytes) -> None:
        self.at = at
        self.data = data


class Keys(Event):
    """The agent's terminal was given `data`, typed or sent; empty: some went by untold.

    Told only to sinks that have `takes_keys`, and never what a terminal reads without echo.
    """

    __slots__ = ("at", "data")
    __match_args__ = ("at", "data")
    kind = "k"

    def __init__(self, at: float, data: bytes) -> None:
        self.at = at
        self.data = data


class Resize(Event):
    """The agent's window has a new size, in cells."""

    __slots__ = ("at", "columns", "lines")
    __match_args__ = ("at", "columns", "lines")
    kind = "r"

    def __init__(self, at: float, columns: int, lines: int) -> None:
        self.at = at
        self.columns = columns
        self.lines = lines


class Gap(Event):
    """`lost` bytes that passed are missing here: the listener was slower than its bounded queue."""

    __slots__ = ("at", "lost")
    __match_args__ = ("at", "lost")
    kind = "g"

    def __init__(self, at: float, lost: int) -> None:
        self.at = at
        self.lost = lost


class Exit(Event):
    """The agent ended with `status` (128+n on signal n): the last event."""

    __slots__ = ("at", "status")
    __match_args__ = ("at", "status")
    kind = "x"

    def __init__(self, at: float, status: int) -> None:
        self.at = at
        self.status = status
