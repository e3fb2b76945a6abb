"""One screen read by itself: regions, verdict, and every rule that was tried.

Takes an agent's name and a `Snapshot`; gives a `Reading`. Stateless: what came before (and the
patience that goes with it) is in `status.py`. Cost: one segmentation, then O(state rules).
"""

from dataclasses import dataclass, replace

from dejavu.screen import Snapshot, Style

from .packs import Chrome, CompiledState, Packs, default_packs
from .panes import inner_pane
from .segment import Layout, Region, Tried, segment
from .state import Confidence, State
from .style import Wear
from .width import width


@dataclass(frozen=True, slots=True)
class Signals:
    """What a terminal knows beside its cells: the last OSC 9;4 progress and OSC 133 mark."""

    progress: str = ""
    prompt_mark: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one screen says. `hold`: nothing was decided, whatever was known still holds."""

    agent: str
    state: State
    rule: str
    confidence: Confidence
    detail: str
    hold: bool
    layout: Layout
    explanation: tuple[Tried, ...]

    @property
    def regions(self) -> tuple[Region, ...]:
        """The named regions, from top to bottom."""
        return self.layout.regions


def read(
    agent: str, snapshot: Snapshot, *, packs: Packs | None = None, signals: Signals | None = None
) -> Reading:
    """Regions and verdict of one screen. `agent` may be an alias, or "auto" (the generic pack)."""
    chrome = (packs or default_packs())[agent]
    pane = inner_pane(snapshot)
    if pane is None:
        return verdict(chrome, snapshot, segment(chrome, snapshot), signals or Signals())
    layout = segment(chrome, pane.snapshot)
    reading = verdict(chrome, pane.snapshot, layout, signals or Signals())
    return replace(reading, layout=layout.moved(pane.top, pane.left))


def verdict(chrome: Chrome, snapshot: Snapshot, layout: Layout, signals: Signals) -> Reading:
    """The state the rules read off a segmented screen: the first that matches, by priority."""
    tried = list(layout.tried)
    for compiled in chrome.states:
        text = _text(compiled.rule.region, snapshot, layout, signals)
        reason, matched = _judge(compiled, text, snapshot, layout)
        tried.append(Tried("state", compiled.rule.id, matched, reason))
        if matched:
            rule = compiled.rule
            strength = Confidence.WEAK if rule.weak else Confidence.STRONG
            state = rule.state or State.UNKNOWN
            return Reading(
                chrome.pack.agent, state, rule.id, strength, reason, rule.hold, layout, tuple(tried)
            )
    reason = "no rule recognises this screen" if any(layout.rows) else "the screen is empty"
    return Reading(
        chrome.pack.agent,
        State.UNKNOWN,
        "none",
        Confidence.NONE,
        reason,
        False,
        layout,
        tuple(tried),
    )


def _text(region: str, snapshot: Snapshot, layout: Layout, signals: Signals) -> str | None:
    """The text a state rule looks at; None where its region is not there."""
    match region:
        case "title":
            return snapshot.title or None
        case "progress":
            return signals.progress or None
        case "prompt_mark":
            return signals.prompt_mark or None
        case "typed":
            return _typed(snapshot, layout)
        case "screen":
            return "\n".join(layout.rows)
        case "tail":
            return _last_paragraph(layout.lines) or None
        case _:
            return layout.text(region)


def _typed(snapshot: Snapshot, layout: Layout) -> str | None:
    """What stands left of the cursor, where the cursor is in the input region."""
    row, column = snapshot.cursor
    for region in layout.regions:
        if region.name == "input" and region.top <= row < region.bottom:
            return snapshot.crop(row, 0, column)
    return None


def _last_paragraph(lines: tuple[str, ...]) -> str:
    """The last rows of the transcript without a blank row between: how a turn ended."""
    start = len(lines)
    while start and lines[start - 1]:
        start -= 1
    return "\n".join(lines[start:])


def _judge(
    compiled: CompiledState, text: str | None, snapshot: Snapshot, layout: Layout
) -> tuple[str, bool]:
    """Whether a state rule matches, and the row (or the lack) that decided it."""
    rule = compiled.rule
    if text is None:
        return f"no {rule.region}", False
    for name in rule.absent:
        if any(region.name == name for region in layout.regions):
            return f"there is a {name}", False
    shown = f"{rule.region} is there"
    for pattern in compiled.all:
        found = pattern.search(text)
        if found is None:
            return f"{rule.region} lacks {pattern.source}", False
        shown = _row_of(text, found.start())
    if compiled.any:
        for pattern in compiled.any:
            found = pattern.search(text)
            if found is not None:
                shown = _row_of(text, found.start())
                break
        else:
            return f"{rule.region} has none of {len(compiled.any)} patterns", False
    for pattern in compiled.none:
        if pattern.search(text) is not None:
            return f"{rule.region} has {pattern.source}", False
    if compiled.wear is not None and not _wears(compiled.wear, shown, snapshot, layout):
        return f"{shown!r} does not look {rule.style}", False
    return shown, True


def _wears(wear: Wear, shown: str, snapshot: Snapshot, layout: Layout) -> bool:
    """Whether the lowest row that shows a text wears a style where the text starts."""
    for index in range(len(layout.rows) - 1, -1, -1):
        found = layout.rows[index].find(shown)
        if found >= 0:
            column = width(layout.rows[index][:found])
            runs = snapshot.styles[index]
            style = next((run.style for run in runs if run.start <= column < run.end), Style())
            return wear(style)
    return False


def _row_of(text: str, position: int) -> str:
    """The row of `text` at `position`, cut to what a person wants to read."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : end if end >= 0 else len(text)].strip()[:100]
