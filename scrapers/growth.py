"""Rows that keep coming at the end of a transcript: a writer is at work, whatever the screen says of it.

Some releases take their spinner away while an answer streams, and their rules then say idle. Rows
that come one after the other below what stood last, and are neither a prompt nor rows that were
seen before (a person scrolls), mean work until none has come for `HOLD` seconds. Cost: O(rows) a
frame whose transcript changed.
"""

from collections.abc import Sequence

from .packs import CompiledPack

# Seconds for which the last new row speaks.
HOLD = 1.0
# Frames with new rows that are needed, and the seconds within which: notices come alone, and so
# does what a turn ends with.
_FRAMES, _WINDOW = 2, 1.5
# Rows remembered to tell new ones from those a person scrolls to.
_MAX_SEEN = 4000


class StreamingDetector:
    """Follows the end of one session's transcript."""

    def __init__(self) -> None:
        self._seen: dict[str, None] = {}
        self._lines: tuple[str, ...] = ()
        self._columns = 0
        self._typed: str | None = None
        self._times: list[float] = []

    @property
    def until(self) -> float | None:
        """Until when rows that came mean work; None if they do not."""
        return self._times[-1] + HOLD if len(self._times) >= _FRAMES else None

    def observe(
        self,
        pack: CompiledPack,
        lines: tuple[str, ...],
        columns: int,
        at: float,
        *,
        counts: bool,
        typed: str | None = None,
    ) -> None:
        """Take the transcript's rows of a frame. `counts`: nothing else accounts for new rows.

        `typed` is what is left of the cursor in the input: rows that come as it grows or shrinks
        complete what a person types.
        """
        before, self._typed = self._typed or "", typed
        is_typed = _is_typing(before.rstrip(), (typed or "").rstrip())
        self._times = [time for time in self._times if at - time < _WINDOW]
        if lines == self._lines:
            return
        rows = self._new_rows(lines) if columns == self._columns else ()
        is_new = any(row and row not in self._seen for row in rows)
        if not counts or _is_said_to_end(pack, rows):
            self._times.clear()
        elif is_new and not is_typed:
            self._times.append(at)
        self._remember(lines)
        self._lines, self._columns = lines, columns

    def _new_rows(self, lines: Sequence[str]) -> Sequence[str]:
        """Return the rows below what stood last in the frame before."""
        last = next((row for row in reversed(self._lines) if row), "")
        if not last or not lines:
            return ()
        for index in range(len(lines) - 1, -1, -1):
            if lines[index] == last:
                return lines[index + 1 :]
            if lines[index].startswith(last):
                return lines[index:]
        return ()

    def _remember(self, lines: Sequence[str]) -> None:
        self._seen.update(dict.fromkeys(lines))
        if len(self._seen) > _MAX_SEEN:
            self._seen = dict.fromkeys(list(self._seen)[_MAX_SEEN // 2 :])


def _is_typing(before: str, now: str) -> bool:
    """Whether characters were added to a text or taken from it, at its end."""
    if not before or not now or before == now:
        return False
    return now.startswith(before) or before.startswith(now)


def _is_said_to_end(pack: CompiledPack, rows: Sequence[str]) -> bool:
    """Whether one of the rows starts a prompt, or ends a turn."""
    rules = [line.first for line in pack.lines if line.rule.kind in ("user", "end")]
    return any(rule.match(row) is not None for rule in rules for row in rows)
