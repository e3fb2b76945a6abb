"""What programs and recordings have in common: waiting for a screen and comparing it.

Nothing sleeps for a fixed time. A wait ends with the byte that fulfils it, and quiet is judged by
the grid: a screen is at rest when nothing a person would see changed for a while, and no
synchronized update (DEC mode 2026) is open. O(bytes), and O(cells) for each masked look.

Tested in: tests/extensions/testing/test_record.py
"""

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from dejavu.screen import Terminal

from .difference import explain
from .errors import GoldenMismatchError, WaitError
from .golden import Goldens
from .masks import Mask, masks_of
from .rendering import Rendering, render_row
from .screen import Screen

Target: TypeAlias = str | re.Pattern[str] | Callable[[Screen], object]
Masks: TypeAlias = Iterable[Mask | str]

QUIET = 0.1
"""Seconds without change after which a screen is at rest."""
VERDICT = 2.0
"""Seconds at rest after which a screen that is not the golden one will not become it."""
_STEP = 0.02


class View(ABC):
    """A screen that changes."""

    _rest_to_write: float = 1.5  # seconds: vim's own wait is one

    def __init__(
        self,
        name: str,
        terminal: Terminal,
        *,
        timeout: float,
        masks: Masks = (),
        goldens: Goldens | None = None,
    ) -> None:
        self.name = name
        self.timeout = timeout
        self.masks = masks_of(masks)
        self._constant_masks: tuple[Mask, ...] = ()  # for comparisons: what they hide does not move
        self._terminal = terminal
        self._goldens = goldens
        self._changed_rows: Sequence[int] = ()  # by the last feed
        self._changed = False  # anything else that a person sees

    # ------------------------------------------------------------------ what a subclass provides

    @property
    @abstractmethod
    def ended(self) -> bool:
        """Whether nothing more can come."""

    @abstractmethod
    def _now(self) -> float: ...

    @abstractmethod
    def _advance(self, seconds: float) -> tuple[bool, float]:
        """Let at most `seconds` pass; whether something was drawn, and how long was given to it."""

    @abstractmethod
    def _state(self) -> str:
        """What it does now, for messages."""

    # ----------------------------------------------------------------------------------- reading

    @property
    def screen(self) -> Screen:
        """The screen as it is drawn so far; nothing is waited for."""
        return self._drawn()

    def _drawn(self) -> Screen:
        return Screen(self._terminal.snapshot(), self._terminal.history)

    def wait_for(self, target: Target, timeout: float | None = None) -> Screen:
        """Wait until the screen shows a text, matches a pattern, or makes a function true.

        A text is looked for in the rows, and across rows that the terminal wrapped. Return the
        screen that fulfilled it. Raise WaitError when the time (by default `self.timeout`) is up or
        nothing more can come.
        """
        __tracebackhide__ = True
        deadline = self._deadline(timeout)
        while True:
            screen = self._drawn()
            if _fulfils(screen, target):
                return screen
            drawn = False
            while not drawn and not self.ended and self._now() < deadline:
                drawn, _ = self._advance(min(1.0, deadline - self._now()))
            if not drawn and not _fulfils(self._drawn(), target):
                raise WaitError(self._failure(f"waited for {_name(target)}", _hint(screen, target)))

    def wait_idle(
        self, quiet: float = QUIET, timeout: float | None = None, *, masks: Masks = ()
    ) -> Screen:
        """Wait until nothing changed on the screen for `quiet` seconds, masked cells aside.

        The seconds are those the program had: on a loaded machine the wait is longer. Return the
        screen. Raise WaitError when it did not come to rest in time.
        """
        __tracebackhide__ = True
        for calm in self._calm(self._deadline(timeout), (*self.masks, *masks_of(masks))):
            if calm >= quiet:
                break
        else:
            if not self.ended:
                why = "an update (mode 2026) was begun and not ended\n"
                hint = why * self._terminal.synchronized or "mask what keeps changing\n"
                raise WaitError(self._failure(f"waited for {quiet:g} s without change", hint))
        return self._drawn()

    def _calm(self, deadline: float, masks: tuple[Mask, ...]) -> Iterator[float]:
        """The seconds without change, after each step, until the deadline or the end."""
        calm, shown = 0.0, self._rows(masks, range(self._terminal.lines))
        while True:
            yield calm
            if self.ended or self._now() >= deadline:
                return
            self._changed_rows, self._changed = (), False
            _, elapsed = self._advance(min(_STEP, deadline - self._now()))
            now = self._rows(masks, self._changed_rows)
            changed = self._changed or any(shown.get(row) != look for row, look in now.items())
            shown |= now
            calm = 0.0 if changed or self._terminal.synchronized else calm + elapsed

    def _rows(self, masks: tuple[Mask, ...], rows: Iterable[int]) -> dict[int, object]:
        """What is to be compared of some rows: with masks what these leave, else that they changed."""
        if masks:
            screen = self._drawn()
            return {row: render_row(screen, row, masks) for row in rows}
        return {row: object() for row in rows}

    def _feed(self, data: bytes) -> None:
        """Draw, and note what a person would see change."""
        before = self._seen_beside()
        changes = self._terminal.feed(data)
        self._changed_rows = changes.rows
        self._changed = bool(changes.scrolled) or self._seen_beside() != before

    def _seen_beside(self) -> tuple[object, ...]:
        snapshot = self._terminal.snapshot()
        cursor = snapshot.cursor if snapshot.cursor_visible else None
        return snapshot.title, cursor, snapshot.alternate

    def _deadline(self, timeout: float | None) -> float:
        return self._now() + (self.timeout if timeout is None else timeout)

    # -------------------------------------------------------------------------------- comparing

    def assert_golden(
        self,
        name: str = "",
        *,
        masks: Masks = (),
        styles: bool = True,
        cursor: bool = True,
        quiet: float | None = None,
        timeout: float | None = None,
    ) -> None:
        """Compare the screen, once it is at rest, with the golden one called `name`.

        By default the test's own name. It passes as soon as both are equal, and fails once the
        screen has been at rest and different for two seconds. `masks` replace what changes from
        run to run, besides those of the program; `styles` and `cursor` say what counts besides text.
        `pytest --golden-update` writes the golden instead, after a longer rest: some programs wait
        a second for what follows an Escape. `quiet` is that rest in seconds, for both.

        Raise GoldenMismatchError where they differ or there is none yet, WaitError where it is to
        be written and the screen does not come to rest, ValueError for a name that is none.
        """
        __tracebackhide__ = True
        if self._goldens is None:
            raise RuntimeError("assert_golden needs the fixtures `terminal` or `cast`")
        folder = self._goldens.folder(name)
        every = (*self.masks, *masks_of(masks))

        def rendering() -> Rendering:
            shown = Rendering.of(self._drawn(), (*self._constant_masks, *every))
            return shown.without(styles=styles, cursor=cursor)

        if self._goldens.update:
            self.wait_idle(self._rest_to_write if quiet is None else quiet, timeout, masks=masks)
            self._goldens.write(folder, rendering())
            return
        expected = self._goldens.read(folder)
        rest = QUIET if quiet is None else quiet
        verdict = max(rest, VERDICT) if expected else rest
        calm, compared = 0.0, False
        for calm in self._calm(self._deadline(timeout), every):
            if calm >= rest and not compared:
                if rendering() == expected:
                    return
                compared = True
            elif calm < rest:
                compared = False
            if calm >= verdict:
                break
        if self.ended and rendering() == expected:
            return
        restless = (
            "" if calm >= rest or self.ended else "it never came to rest: mask what changes\n"
        )
        raise self._mismatch(folder.name, expected, rendering(), restless)

    def _mismatch(
        self, name: str, expected: Rendering | None, actual: Rendering, note: str
    ) -> GoldenMismatchError:
        assert self._goldens is not None  # noqa: S101 - for the type checkers
        folder = self._goldens.folder(name)
        update = "--golden-update writes it"
        if expected is None:
            text = f"there is no golden screen {folder}; {update}\n{note}{self.describe()}"
        else:
            differences = explain(expected, actual, self._goldens.columns)
            text = (
                f"the screen is not {folder} ({update} again)\n{note}{differences}\n{self._state()}"
            )
        return GoldenMismatchError(text, name, expected, actual)

    # --------------------------------------------------------------------------------- messages

    def describe(self) -> str:
        """Return the state and the screen in a frame, for a message."""
        width = self._goldens.columns if self._goldens else 160
        return f"{self._state()}\n{self._drawn().boxed(self.name, max(20, width - 4))}"

    def _failure(self, what: str, hint: str = "") -> str:
        return f"{what}, in vain\n{hint}{self.describe()}"


def _fulfils(screen: Screen, target: Target) -> bool:
    if isinstance(target, str):
        return target in screen
    if isinstance(target, re.Pattern):
        return screen.search(target) is not None
    return bool(target(screen))


def _name(target: Target) -> str:
    if isinstance(target, str):
        return f"text {target!r}"
    if isinstance(target, re.Pattern):
        return f"pattern {target.pattern!r}"
    return f"{getattr(target, '__qualname__', None) or target!r}"


def _hint(screen: Screen, target: Target) -> str:
    """Where else a text is, or what on the screen is most like it."""
    if not isinstance(target, str):
        return ""
    for up, line in enumerate(reversed(screen.history), 1):
        if target in line:
            return f"it is in the history, {up} lines above the screen: {line!r}\n"
    near = difflib.get_close_matches(target, [row.strip() for row in screen.rows], n=1, cutoff=0.5)
    return f"nearest row: {near[0]!r}\n" if near else ""
