"""What an agent waits for, what runs behind it, and its own words: from its report and its screen.

`SituationReader` is asked at each frame and reads only what changed: O(rows) to see that nothing
did, O(rows of the dialog) where that did, and nothing of a dialog that stays while rows elsewhere
change (a clock, a spinner). No state is decided here.
"""

from dataclasses import replace

from dejavu.screen import Snapshot

from .choice_cues import has_input
from .dialogs import describe, framed_rows
from .pending import merged, named, pending_on_screen, queued_rows
from .reading import Reading
from .reports import Report
from .secret_rows import BlockMask
from .segment import Layout
from .state import Blocked, Pending, Situation, State

_NAME = 200  # characters of what runs or waits
_AROUND = 8  # rows on either side of queued inputs that may hold the rest of a secret


class SituationReader:
    """One session's. With a `mask` every text is redacted. `styled`: its screens have styles."""

    def __init__(self, mask: BlockMask | None, *, styled: bool = True) -> None:
        self._mask, self._styled = mask, styled
        self._known: tuple[State, Report | None, Layout | None, Situation] | None = None
        self._known_shown: Snapshot | None = None
        self._dialog: tuple[object, Blocked] | None = None
        self._queued: tuple[list[str], tuple[str, ...]] | None = None

    def read(
        self,
        state: State,
        report: Report | None,
        reading: Reading | None,
        shown: Snapshot | None,
    ) -> Situation:
        """Return the situation in `state`; the same object where nothing changed.

        `shown` is the screen that was read.
        """
        layout = reading.layout if reading is not None else None
        known = self._known
        if known is not None and known[:2] == (state, report):
            before = known[2]
            same = layout is before or (layout and before and layout.rows == before.rows)
            # A pointer may be a colour alone, which no row and no layout shows.
            if same and (state is not State.BLOCKED or shown is self._known_shown):
                return known[3]
        reported = report if report is not None and report.state is state else None
        message = reported.message if reported is not None else ""
        if message and self._mask is not None:
            message = self._mask.redact(message)
        pending = report.pending if report is not None else ()
        blocked = None
        if state is State.EXITED:
            pending = ()
        elif layout is not None:
            pending = merged(pending, pending_on_screen(layout))
        pending = self._named(pending, layout, shown)
        if state is State.BLOCKED:
            is_read = reading is not None and reading.state is State.BLOCKED
            if reading is not None and reading.region == "title" and has_input(reading.layout):
                is_read = False  # the title comes before the dialog: what is drawn is the input
            if reported is None and not is_read and known is not None:
                blocked = known[3].blocked  # it may just be gone: the state follows shortly
            blocked = blocked or self._describe(layout, reported, shown, is_read)
        situation = Situation(message, pending, blocked)
        if known is not None and known[:2] == (state, report) and known[3] == situation:
            situation = known[3]
        self._known, self._known_shown = (state, report, layout, situation), shown
        return situation

    def _named(
        self, pending: tuple[Pending, ...], layout: Layout | None, shown: Snapshot | None
    ) -> tuple[Pending, ...]:
        """What runs or waits, by names that hold no secret."""
        if not pending:
            return pending
        queued = [("queued", name) for name in self._queue(layout, shown)]

        def clean(name: str) -> str:
            return (name if self._mask is None else self._mask.redact(name))[:_NAME]

        said = (replace(one, names=tuple(map(clean, one.names))) for one in pending)
        return named(said, queued)

    def _queue(self, layout: Layout | None, shown: Snapshot | None) -> tuple[str, ...]:
        """The inputs that wait, as far as each is in its first row; masked with the rows around."""
        at = queued_rows(layout) if layout is not None else []
        if layout is None or shown is None or not at:
            return ()
        top, bottom = max(0, at[0] - _AROUND), at[-1] + 1 + _AROUND
        rows = list(layout.rows[top:bottom])
        if self._queued is None or self._queued[0] != rows:
            masked = rows
            if self._mask is not None:
                masked = self._mask.mask_block(rows, shown.columns, shown.wrapped[top:bottom])
                masked = [self._mask.labels(row) for row in masked]
            names = (masked[one - top].strip().removeprefix("↳").strip()[:_NAME] for one in at)
            self._queued = rows, tuple(names)
        return self._queued[1]

    def _describe(
        self,
        layout: Layout | None,
        report: Report | None,
        shown: Snapshot | None,
        is_read: bool,
    ) -> Blocked:
        """What is asked; read again only where the dialog's rows are others."""
        columns, wrapped = (shown.columns, shown.wrapped) if shown is not None else (0, ())
        styled = shown if self._styled else None

        def read() -> Blocked:
            return describe(
                layout,
                report,
                mask=self._mask,
                columns=columns,
                wrapped=wrapped,
                is_drawn=is_read,
                shown=styled,
            )

        key = framed_rows(layout, wrapped, styled)
        if key is None:
            return read()
        whole = report, columns, key
        if self._dialog is None or self._dialog[0] != whole:
            self._dialog = whole, read()
        return self._dialog[1]
