"""Segmentation of a snapshot into regions by an agent's rules; status and turns are read from it.

`segment` returns a `Layout`: named regions, the transcript's rows without scroll bar and side bar,
and a trace of every rule. Cost: O(rows x rules) look-ups; patterns run over the rows that no frame shortly
before had, such as one in which a spinner turns.
"""

from dataclasses import dataclass, replace

from dejavu.screen import Snapshot

from .packs import CompiledColumn, CompiledPack, CompiledRegion
from .pattern import Pattern
from .rows import width


@dataclass(frozen=True, slots=True)
class Region:
    """Cells `[top, bottom)` x `[left, right)` of the screen, and the rule that named them."""

    name: str
    top: int
    bottom: int
    left: int
    right: int
    rule: str


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """One evaluated rule: its kind and id, whether it matched, and the reason."""

    kind: str
    rule: str
    matched: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The regions of one snapshot. `rows` are all rows without trailing blanks."""

    rows: tuple[str, ...]
    regions: tuple[Region, ...]
    transcript: Region
    lines: tuple[str, ...]
    traces: tuple[RuleTrace, ...]

    def text(self, name: str) -> str | None:
        """Return the rows of all regions called `name`, joined by newlines; None if there is none."""
        named = [
            self.lines if region is self.transcript else self.rows[region.top : region.bottom]
            for region in self.regions
            if region.name == name
        ]
        return "\n".join("\n".join(rows) for rows in named) if named else None

    def offset_by(self, down: int, right: int) -> "Layout":
        """Return this layout with its regions shifted, for a screen inside a larger one."""
        shifted = {
            region: replace(
                region,
                top=region.top + down,
                bottom=region.bottom + down,
                left=region.left + right,
                right=region.right + right,
            )
            for region in self.regions
        }
        regions = tuple(shifted[region] for region in self.regions)
        return replace(self, regions=regions, transcript=shifted[self.transcript])


class _Segmenter:
    """Assigns regions from the edges inwards; rows `[top, bottom)` are not assigned yet."""

    def __init__(self, rows: tuple[str, ...], columns: int, alternate: bool) -> None:
        self.rows = rows
        self.columns = columns
        self.alternate = alternate
        self.top = 0
        self.bottom = len(rows)
        while self.bottom and not rows[self.bottom - 1]:
            self.bottom -= 1
        self.regions: list[Region] = []
        self.traces: list[RuleTrace] = []

    def take(self, compiled: CompiledRegion) -> None:
        """Assign the block of one rule, if it is there."""
        rule = compiled.rule
        if rule.alternate is not None and rule.alternate is not self.alternate:
            self._note(compiled, "other screen buffer")
            return
        if rule.edge == "float":
            self._float(compiled)
            return
        match rule.edge:
            case "bottom":
                block = self._block_up(compiled)
            case "top":
                block = self._block_down(compiled)
            case _:
                block = (self.top, self.bottom)
        if block is None:
            self._note(compiled, "no such block at the edge")
            return
        text = "\n".join(self.rows[block[0] : block[1]])
        for pattern in compiled.has:
            if pattern.search(text) is None:
                self._note(compiled, f"block lacks {pattern.source}")
                return
        for pattern in compiled.lacks:
            if pattern.search(text) is not None:
                self._note(compiled, f"block has {pattern.source}")
                return
        self._claim(compiled, *block)

    def _float(self, compiled: CompiledRegion) -> None:
        """Name a box that covers part of the transcript; its rows stay unassigned."""
        run: list[tuple[int, int, int]] = []
        for index in range(self.top, self.bottom):
            row = self.rows[index]
            match = compiled.inner.search(row) if compiled.inner is not None else None
            if match is None:
                if len(run) >= 2:
                    break
                run = []
                continue
            left = width(row[: match.start("box")])
            run.append((index, left, left + width(match.group("box") or "")))
        if len(run) < 2:
            self._note(compiled, "no such box")
            return
        left, right = min(box[1] for box in run), max(box[2] for box in run)
        rule = compiled.rule
        top, bottom = run[0][0], run[-1][0] + 1
        self.regions.append(Region(rule.name, top, bottom, left, right, rule.id))
        self.traces.append(RuleTrace("region", rule.id, True, f"rows {top + 1} to {bottom}"))

    def _claim(self, compiled: CompiledRegion, top: int, bottom: int) -> None:
        rule = compiled.rule
        if rule.edge == "bottom" and any(self.rows[bottom : self.bottom]):
            self._name(rule.beyond, bottom, self.bottom, rule.id)
        if rule.edge == "top" and any(self.rows[self.top : top]):
            self._name(rule.beyond, self.top, top, rule.id)
        self._name(rule.name, top, bottom, rule.id)
        if rule.edge == "top":
            self.top = bottom
        else:
            self.bottom = top
        self.traces.append(RuleTrace("region", rule.id, True, f"rows {top + 1} to {bottom}"))

    def _name(self, name: str, top: int, bottom: int, rule: str) -> None:
        self.regions.append(Region(name, top, bottom, 0, self.columns, rule))

    def _note(self, compiled: CompiledRegion, reason: str) -> None:
        self.traces.append(RuleTrace("region", compiled.rule.id, False, reason))

    def _block_up(self, compiled: CompiledRegion) -> tuple[int, int] | None:
        """Return the rows of the block at the bottom edge, or None."""
        rows, last = self.rows, compiled.last
        end, slack = self.bottom, compiled.rule.slack
        while end > self.top:
            row = rows[end - 1]
            is_last = last is None or last.fits(row)
            if not row and (last is None or not is_last):
                end -= 1
                continue
            if is_last:
                start = self._reach(compiled, end - 1, -1)
                if start is not None:
                    return start, end
            if slack == 0:
                return None
            slack -= 1
            end -= 1
        return None

    def _block_down(self, compiled: CompiledRegion) -> tuple[int, int] | None:
        """Return the rows of the block at the top edge, or None."""
        rows, first = self.rows, compiled.first
        start, slack = self.top, compiled.rule.slack
        while start < self.bottom:
            row = rows[start]
            is_first = first is None or first.fits(row)
            if not row and (first is None or not is_first):
                start += 1
                continue
            if is_first:
                end = self._reach(compiled, start, 1)
                if end is not None:
                    return start, end + 1
            if slack == 0:
                return None
            slack -= 1
            start += 1
        return None

    def _reach(self, compiled: CompiledRegion, start: int, step: int) -> int | None:
        """Return the row of the block's other end, searched from `start` on; None if there is none."""
        rule, inner = compiled.rule, compiled.inner
        other_end = compiled.first if step < 0 else compiled.last
        edge = self.top - 1 if step < 0 else self.bottom
        # The row the block starts from is its end already, or one of those between.
        start_is_inside = (
            other_end is None or (compiled.last if step < 0 else compiled.first) is None
        )
        reached: int | None = None
        for count, index in enumerate(range(start, edge, step)):
            if count >= rule.rows:
                break
            row = self.rows[index]
            if other_end is not None and other_end.fits(row):
                # A block of two ends needs two rows; a block of one end may be a single row.
                if count or (compiled.last is None) or (compiled.first is None):
                    reached = index
                    if not rule.farthest:
                        return reached
                    continue
                continue
            if inner is not None and (count or start_is_inside) and not _is_inside(inner, row):
                break
            if other_end is None:
                reached = index
        return reached


def _is_inside(inner: Pattern, row: str) -> bool:
    """Whether a row may stand in a block; the right side of a box may be missing.

    It is where terminal and agent measure the row's characters differently, which no ASCII is.
    """
    if inner.fits(row):
        return True
    side = row.lstrip()[:1]
    if side not in ("│", "┃") or row[-1] == side or row.replace(side, "").isascii():
        return False
    return inner.fits(f"{row} {side}")


def segment(pack: CompiledPack, snapshot: Snapshot) -> Layout:
    """Return the layout of one snapshot."""
    rows = snapshot.trimmed
    segmenter = _Segmenter(rows, snapshot.columns, snapshot.alternate)
    for compiled in pack.regions:
        if segmenter.bottom <= segmenter.top:
            break
        segmenter.take(compiled)
    top, bottom, right = segmenter.top, segmenter.bottom, snapshot.columns
    while bottom > top and not rows[bottom - 1]:
        bottom -= 1
    lines = rows[top:bottom]
    for column in pack.columns:
        cut = _cut_column(column, snapshot, top, bottom)
        reason = f"from column {cut + 1}" if cut is not None else "not there"
        segmenter.traces.append(RuleTrace("column", column.rule.id, cut is not None, reason))
        if cut is not None and cut < right:
            name = column.rule.name
            segmenter.regions.append(Region(name, top, bottom, cut, right, column.rule.id))
            right = cut
            lines = tuple(_left_of(column, snapshot, row, cut) for row in range(top, bottom))
            # A bar may hide that the rows at the end are blank.
            while lines and not lines[-1]:
                lines, bottom = lines[:-1], bottom - 1
    transcript = Region("transcript", top, bottom, 0, right, "rest")
    ordered = sorted([*segmenter.regions, transcript], key=lambda region: (region.top, region.left))
    return Layout(rows, tuple(ordered), transcript, lines, tuple(segmenter.traces))


class Segmentation:
    """The layouts of one terminal's screen: segmented again only where a cell has changed."""

    def __init__(self) -> None:
        self._last: tuple[CompiledPack, Snapshot, Layout] | None = None

    def layout_of(self, pack: CompiledPack, snapshot: Snapshot) -> Layout:
        """Return the layout of a snapshot. O(1) where the one before has the same cells."""
        if self._last is not None:
            known, shown, layout = self._last
            same = (known, shown.columns, shown.alternate)
            if same == (pack, snapshot.columns, snapshot.alternate) and (
                shown.trimmed is snapshot.trimmed
            ):
                return layout
        layout = segment(pack, snapshot)
        self._last = pack, snapshot, layout
        return layout


def _cut_column(column: CompiledColumn, snapshot: Snapshot, top: int, bottom: int) -> int | None:
    """Return the column where a scroll bar or side bar starts, or None."""
    if bottom - top < 3:
        return None
    if column.marker is not None:
        return _sidebar(column, snapshot, top, bottom)
    for back in range(1, column.rule.within + 1):
        cells = [row[-back] if len(row) >= back else " " for row in snapshot.rows[top:bottom]]
        if column.glyphs.isdisjoint(cells):
            continue
        marks = sum(cell in column.glyphs for cell in cells)
        blanks = cells.count(" ")
        # A row whose characters the terminal and the agent measure differently may stand out.
        odd = len(cells) - marks - (0 if column.rule.full else blanks)
        if odd * 5 <= marks:
            return snapshot.columns - back
    return None


def _left_of(column: CompiledColumn, snapshot: Snapshot, row: int, cut: int) -> str:
    """Return a row without the column's cells; whole if they hold something else."""
    if column.glyphs:
        text = snapshot.rows[row].rstrip()
        cell = snapshot.crop(row, cut, cut + 1)
        if text[-1:] in column.glyphs and text[-2:-1] == " " and width(text) > cut - 3:
            return text[:-1].rstrip()
        if cell.strip() and cell not in column.glyphs:
            return text
    return snapshot.crop(row, 0, cut).rstrip()


def _sidebar(column: CompiledColumn, snapshot: Snapshot, top: int, bottom: int) -> int | None:
    """Return the left edge of a side bar: at its marker, if all rows are blank before it."""
    marker = column.marker
    for index in range(top, bottom):
        match = marker.search(snapshot.rows[index].rstrip()) if marker is not None else None
        if match is None:
            continue
        prefix = snapshot.rows[index][: match.start("edge")]
        edge = snapshot.columns - len(snapshot.rows[index]) + len(prefix)
        left = edge - max(1, column.rule.padding)
        if all(not snapshot.crop(row, left, edge).strip() for row in range(top, bottom)):
            return edge - column.rule.padding
    return None
