"""One screen alone: its regions, its state, and every rule that was tried.

`read` segments a `Snapshot` and classifies it. Stateless: earlier screens and debouncing belong to
`status.py`. Cost: one segmentation, then O(state rules).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dejavu.screen import Progress, PromptMark, Snapshot, Style

from .choice_cues import at_shell, open_choices, open_decision, open_letters, open_menu
from .choices import BORDER, POINTERS
from .packs import GENERIC, CompiledPack, CompiledState, Packs, StyleMatcher, default_packs
from .panes import inner_pane
from .reports import TITLE_SPINNER
from .rows import Row, width
from .segment import Layout, Region, RuleTrace, segment
from .state import Confidence, State
from .work_cues import ended_turn, work_above_input

NO_RULE = "none"
"""The name given where no rule recognises the screen."""

_SIGNALS = frozenset({"title", "progress", "prompt_mark"})
"""What rules look at that is not on the screen."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Terminal state besides the cells: the last OSC 9;4 progress and OSC 133 mark.

    `title_turns`: whether the title has changed of late, which a single screen does not tell (None).
    """

    progress: str = ""
    prompt_mark: str = ""
    title_turns: bool | None = None

    def after(self, event: Progress | PromptMark) -> "Signals":
        """Return the signals once an event has come."""
        if isinstance(event, Progress):
            return replace(self, progress=f"{event.state};{event.value}")
        return replace(self, prompt_mark=f"{event.kind};{event.detail or ''}")


@dataclass(frozen=True, slots=True)
class Reading:
    """The verdict on one screen. `hold`: undecided, the last known state continues."""

    agent: str
    state: State
    rule: str
    confidence: Confidence
    detail: str
    hold: bool
    layout: Layout
    explanation: tuple[RuleTrace, ...]
    region: str = ""
    """What the deciding rule looked at; "" where a cue decided."""

    @property
    def regions(self) -> tuple[Region, ...]:
        """The named regions, from top to bottom."""
        return self.layout.regions


def read(
    agent: str, snapshot: Snapshot, *, packs: Packs | None = None, signals: Signals | None = None
) -> Reading:
    """Segment and classify one screen. `agent` may be an alias, or "auto" (the generic pack)."""
    packs, signals = packs or default_packs(), signals or Signals()
    pack = packs[agent]
    pane = inner_pane(snapshot)
    shown = snapshot if pane is None else pane.snapshot
    reading = classify(pack, shown, segment(pack, shown), signals)
    if reading.rule == NO_RULE:
        reading = read_as_any(reading, packs[GENERIC], shown, signals)
    if pane is None:
        return reading
    return replace(reading, layout=reading.layout.offset_by(pane.top, pane.left))


def read_as_any(
    reading: Reading,
    generic: CompiledPack,
    snapshot: Snapshot,
    signals: Signals,
    above: Sequence[Row] | None = (),
    *,
    styled: bool = True,
) -> Reading:
    """Return what is read of a screen that no rule of its agent's pack recognises.

    A release may draw what only other agents drew so far: the rules for any agent decide, on weak
    confidence, if they recognise it. What they say of signals is left to the hints (see reports.py).
    """
    if reading.agent == generic.spec.agent or not any(reading.layout.rows):
        return reading
    other = classify(generic, snapshot, segment(generic, snapshot), signals, above, styled=styled)
    if other.state is State.UNKNOWN or other.region in _SIGNALS:
        return reading
    explanation = (*reading.explanation, *other.explanation)
    return replace(
        other,
        agent=reading.agent,
        rule=f"{GENERIC}:{other.rule}",
        confidence=Confidence.WEAK,
        explanation=explanation,
    )


def classify(
    pack: CompiledPack,
    snapshot: Snapshot,
    layout: Layout,
    signals: Signals,
    above: Sequence[Row] | None = (),
    *,
    styled: bool = True,
) -> Reading:
    """Return the state of a segmented screen: the matching rule of highest priority decides.

    Idle, or no matching rule, must also hold against the cues that mean the same for any agent.
    `above` are the transcript's rows that have scrolled off, where they are known; None if a person
    has scrolled back.
    Of a screen without styles (`styled` False) no verdict is strong, and none is given where a rule
    of higher priority says otherwise and only its style is not to be seen.
    """
    reading = _by_rules(pack, snapshot, layout, signals, styled)
    if reading.state is State.WORKING and reading.region == "title" and signals.title_turns is None:
        end = ended_turn(pack, snapshot, layout, above)
        if end is not None:
            reading = overruled(reading, State.IDLE, "end", end)
    if not reading.hold and reading.state is not State.BLOCKED:
        decision = open_decision(layout)
        if decision is not None:
            return overruled(reading, State.BLOCKED, "decision", decision)
    if reading.hold or reading.state not in (State.IDLE, State.UNKNOWN):
        return reading
    choice = open_choices(layout)
    if choice is not None:
        return overruled(reading, State.BLOCKED, "choices", choice)
    letters = open_letters(layout)
    if letters is not None:
        return overruled(reading, State.BLOCKED, "letters", letters)
    menu = open_menu(layout) if reading.state is State.UNKNOWN else None
    if menu is not None:
        return overruled(reading, State.BLOCKED, "menu", menu)
    # On a screen that no rule knows a prompt may have been answered by what none of them knows.
    is_idle = reading.state is State.IDLE
    if not is_idle and at_shell(layout):
        return reading
    work = work_above_input(pack, snapshot, layout, above, prompts=is_idle)
    if work is None or not (is_idle or work.is_live):
        return reading
    state = State.WORKING if work.is_live else State.UNKNOWN
    return overruled(reading, state, "work", work.row)


def _by_rules(
    pack: CompiledPack, snapshot: Snapshot, layout: Layout, signals: Signals, styled: bool
) -> Reading:
    """Return what the pack's rules alone say."""
    traces = list(layout.traces)
    undecided: CompiledState | None = None
    for compiled in pack.states:
        text = _text(compiled.rule.region, snapshot, layout, signals)
        reason, matched = _match(compiled, text, snapshot, layout, styled)
        if matched and _stands_still(compiled, text, signals):
            reason, matched = f"{reason!r}: the title does not change", False
        if matched and not styled and compiled.style_matcher is not None:
            undecided, matched = undecided or compiled, False
            reason = f"{reason!r}: its style is not to be seen"
        traces.append(RuleTrace("state", compiled.rule.id, matched, reason))
        if matched:
            rule = compiled.rule
            if undecided is not None and _outcome(undecided) != _outcome(compiled):
                break
            strength = Confidence.WEAK if rule.weak or not styled else Confidence.STRONG
            state = rule.state or State.UNKNOWN
            return Reading(
                pack.spec.agent,
                state,
                rule.id,
                strength,
                reason,
                rule.hold,
                layout,
                tuple(traces),
                rule.region,
            )
    reason = "no rule recognises this screen" if any(layout.rows) else "the screen is empty"
    if undecided is not None:
        reason = f"without styles {undecided.rule.id} can neither be told nor ruled out"
    return Reading(
        pack.spec.agent,
        State.UNKNOWN,
        NO_RULE,
        Confidence.NONE,
        reason,
        False,
        layout,
        tuple(traces),
    )


def _stands_still(compiled: CompiledState, text: str | None, signals: Signals) -> bool:
    """Whether a rule takes for work a spinner in the title that has not turned for a while.

    Some agents leave the last one there when they are done.
    """
    rule = compiled.rule
    if (
        rule.region != "title"
        or rule.state is not State.WORKING
        or signals.title_turns is not False
    ):
        return False
    return bool(text) and TITLE_SPINNER.match(text or "") is not None


def _outcome(compiled: CompiledState) -> tuple[State | None, bool]:
    return compiled.rule.state, compiled.rule.hold


def overruled(reading: Reading, state: State, cue: str, row: str) -> Reading:
    """Return the reading with the state a cue implies, on weak confidence."""
    trace = RuleTrace("cue", cue, True, row)
    strength = Confidence.NONE if state is State.UNKNOWN else Confidence.WEAK
    return replace(
        reading,
        state=state,
        rule=f"cue:{cue}",
        confidence=strength,
        detail=row,
        region="",
        explanation=(*reading.explanation, trace),
    )


GUESS = "cue:guess"
"""The name given where a screen of an agent that no rules know tells too little."""


def guessed(reading: Reading, shown: Snapshot, *, is_moving: bool) -> Reading:
    """Return what may be said of an agent that no rules know: work that moves, a question at rest.

    Idle is never claimed: what looks so may be anything that draws a prompt. Choices are quoted
    where the cursor is in a text field at them or below, and so is a box of one row a text field.
    What was at work is unknown as soon as nothing moves.
    """
    if reading.hold or reading.state in (State.ERROR, State.EXITED):
        return reading
    if is_moving and reading.state in (State.IDLE, State.UNKNOWN):
        return overruled(reading, State.WORKING, "motion", "the screen moves")
    if reading.state is State.WORKING and is_moving:
        return reading
    asks = not (is_moving or _is_in_field(shown, reading.detail) or _is_one_row(reading))
    if reading.state is State.BLOCKED and asks:
        return reading
    return overruled(reading, State.UNKNOWN, "guess", "no rules know this agent's screens")


# What is left of a cursor in a text field: a border, a prompt's mark, and no choice behind them.
_IN_FIELD = re.compile(r"\s*[│┃]?\s*(?:[❯›»>](?!\s*\d+[.)])(?:\s.*)?)?")


def _is_in_field(shown: Snapshot, text: str) -> bool:
    """Whether the cursor is seen in a text field, in the row that holds a text or below it."""
    row, column = shown.cursor
    if not shown.cursor_visible or not _IN_FIELD.fullmatch(shown.crop(row, 0, column)):
        return False
    below = not any(text in each for each in shown.rows[row + 1 :]) if text else True
    is_empty = not shown.rows[row].strip(BORDER + POINTERS)
    return below and not (is_empty and text in shown.rows[row])


def _is_one_row(reading: Reading) -> bool:
    """Whether the dialog is a box around one row."""
    return any(
        region.name == "dialog" and region.bottom - region.top == _BOX
        and not any(map(str.isalnum, reading.layout.rows[region.top]))
        for region in reading.layout.regions
    )  # fmt: skip


_BOX = 3  # rows of a box around one


def _text(region: str, snapshot: Snapshot, layout: Layout, signals: Signals) -> str | None:
    """Return the text a state rule examines; None if its region is absent."""
    match region:
        case "title":
            return snapshot.title or None
        case "progress":
            return signals.progress or None
        case "prompt_mark":
            return signals.prompt_mark or None
        case "typed":
            return typed_text(snapshot, layout)
        case "screen":
            return "\n".join(layout.rows)
        case "tail":
            return _last_paragraph(layout.lines) or None
        case _:
            return layout.text(region)


def typed_text(snapshot: Snapshot, layout: Layout) -> str | None:
    """Return the text left of the cursor if the cursor is in the input region."""
    row, column = snapshot.cursor
    for region in layout.regions:
        if region.name == "input" and region.top <= row < region.bottom:
            return snapshot.crop(row, 0, column)
    return None


def _last_paragraph(lines: tuple[str, ...]) -> str:
    """Return the rows below the transcript's last blank row: how the turn ended."""
    start = len(lines)
    while start and lines[start - 1]:
        start -= 1
    return "\n".join(lines[start:])


def _match(
    compiled: CompiledState, text: str | None, snapshot: Snapshot, layout: Layout, styled: bool
) -> tuple[str, bool]:
    """Return why a state rule matches or not (the row, or what is missing), and whether it does.

    Without styles a rule's style counts as there; the caller knows.
    """
    rule = compiled.rule
    if text is None:
        return f"no {rule.region}", False
    for name in rule.absent:
        if any(region.name == name for region in layout.regions):
            return f"there is a {name}", False
    shown = f"{rule.region} is there"
    for pattern in compiled.all:
        match = pattern.search(text)
        if match is None:
            return f"{rule.region} lacks {pattern.source}", False
        shown = _row_of(text, match.start())
    if compiled.any:
        for pattern in compiled.any:
            match = pattern.search(text)
            if match is not None:
                shown = _row_of(text, match.start())
                break
        else:
            return f"{rule.region} has none of {len(compiled.any)} patterns", False
    for pattern in compiled.none:
        if pattern.search(text) is not None:
            return f"{rule.region} has {pattern.source}", False
    if (
        styled
        and compiled.style_matcher is not None
        and not _has_style(compiled.style_matcher, shown, snapshot, layout)
    ):
        return f"{shown!r} does not look {rule.style}", False
    return shown, True


def _has_style(style_matcher: StyleMatcher, shown: str, snapshot: Snapshot, layout: Layout) -> bool:
    """Whether the lowest row that contains `shown` has the style where that text starts."""
    for index in range(len(layout.rows) - 1, -1, -1):
        position = layout.rows[index].find(shown)
        if position >= 0:
            column = width(layout.rows[index][:position])
            runs = snapshot.row_styles(index)
            style = next((run.style for run in runs if run.start <= column < run.end), Style())
            return style_matcher(style)
    return False


def _row_of(text: str, position: int) -> str:
    """Return the row of `text` at `position`, at most 100 characters."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : end if end >= 0 else len(text)].strip()[:100]
