"""The same failure before, what was tried, and what made it pass.

A failure is compared by fingerprints of its lines without paths, numbers, addresses and times, and
of pairs of their words, each worth the more the fewer failures have it. What shares too little is
not named: silence is the answer to a failure never seen. Where nothing is like a few pasted lines, their
messages are compared alone. What made it pass is the next success of the same command in that conversation.
O(failures that share a fingerprint).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.model import DejavuError, ToolCall, ToolCallResponse

from .fingerprints import (
    failure_lines,
    failure_prints,
    line_of_failure,
    name_prints,
    pair_prints,
    pasted_message,
)
from .index import EditIndex
from .outcome import response_text
from .queries import Call, Edit
from .tool_arguments import shell_command, tool_edits
from .why import call_at

_LEAST = 0.6  # of what a failure says, by weight, that another must say, too
_LINE = 3.0  # a whole line is worth so many pairs of words
_PAIRS = 2  # of words that a pasted message has at the least
_AFTER = 400  # calls in which a success is looked for
_TRIES = 12
_EXCERPT = 600  # characters of a failure that are shown


class Fix(NamedTuple):
    """A failure of before: the failing call, what was done after it, and the call that passed."""

    failed: Call
    score: float
    passed: Call | None
    edits: tuple[Edit, ...]
    tries: tuple[Call, ...]


def find_fixes(
    index: EditIndex, text: str, limit: int, *, workspace: str | None = None
) -> list[Fix]:
    """The failures that say what `text` says, the likest first, then the newest; [] where none does."""
    scored = _scores(index, text)
    if max(scored.values(), default=0.0) < _LEAST and (message := pasted_message(text)):
        scored = _scores(index, message, pasted=True)
    best = sorted(
        (call for call, score in scored.items() if score >= _LEAST), key=lambda call: -scored[call]
    )
    fixes: dict[tuple[str, int], Fix] = {}
    for call in index.calls(best[: 40 * limit]):
        if workspace is not None and call.workspace != workspace:
            continue
        fix = _followed(index, call, scored[call.id])
        key = call.conversation, call.id if fix.passed is None else fix.passed.id
        other = fixes.get(key)
        if other is None or fix.score > other.score:
            fixes[key] = fix
    return sorted(fixes.values(), key=_rank)[:limit]


def _scores(index: EditIndex, text: str, *, pasted: bool = False) -> dict[int, float]:
    """How much of what `text` says each failure says, by weight: from 0 to a little above 1.

    A pasted line counts as said by a failure that has every pair of its words, whatever is around.
    """
    lines = failure_lines(text)
    prints = failure_prints(text)
    if not prints:
        return {}
    whole_lines = {line_of_failure(line) for line in lines}
    total = index.failure_count()

    def rarity(print_: bytes) -> float:
        return math.log((total + 2) / (index.frequency(print_) + 1) + 1)

    weights = {
        print_: (_LINE if print_ in whole_lines else 1.0) * rarity(print_) for print_ in prints
    }
    whole = sum(weights.values())
    weights |= {print_: rarity(print_) for print_ in name_prints(text)}
    shared = index.failures_like(weights)
    if pasted:
        for line in lines:
            pairs = pair_prints(line)
            for said in shared.values():
                if len(pairs) >= _PAIRS and pairs <= said:
                    said.add(line_of_failure(line))
    return {call: sum(weights[one] for one in said) / whole for call, said in shared.items()}


def _rank(fix: Fix) -> tuple[float, bool, float]:
    """The likest first by tenths; of those what passed, and of those the newest."""
    return -round(fix.score, 1), fix.passed is None, -(fix.failed.at or 0.0)


def _followed(index: EditIndex, call: Call, score: float) -> Fix:
    """A failure with what came after it, up to the next success of the same command."""
    after = index.calls_after(call, _AFTER)
    passed = next((one for one in after if one.command == call.command and one.ok is True), None)
    if passed is None and call.shell:
        passed = next(
            (one for one in after if one.shell and one.program == call.program and one.ok is True),
            None,
        )
    stop = (
        passed.seq
        if passed is not None
        else (after[_TRIES].seq if len(after) > _TRIES else math.inf)
    )
    between = [one for one in after if one.seq < stop]
    edits = [edit for edit in index.edits_of(call.conversation) if call.seq < edit.seq < stop]
    if passed is None:
        edits, between = edits[:_TRIES], between[:_TRIES]
    commands = [one for one in between if one.shell]
    return Fix(call, score, passed, tuple(edits[-_TRIES:]), tuple(commands[-_TRIES:]))


def command_text(archive: Archive, call: Call) -> str:
    """What a call ran, or the tool's name; "" where the archive no longer says."""
    try:
        part = call_at(archive, call.conversation, call.seq, call.part)
    except DejavuError:
        return ""
    if not isinstance(part, ToolCall):
        return ""
    return shell_command(part.name, part.arguments) or part.name


def failure_text(archive: Archive, call: Call) -> str:
    """The lines of a failure that say most; "" where the archive no longer says."""
    try:
        part = call_at(archive, call.conversation, call.seq, call.part)
        identity = part.id if isinstance(part, ToolCall) else None
        for turn in archive.turns(call.conversation, call.seq, call.seq + 60):
            for answer in turn.parts:
                if isinstance(answer, ToolCallResponse) and answer.id == identity:
                    return response_text(answer.response).strip()
    except DejavuError:
        pass
    return ""


def excerpt(text: str) -> str:
    """The end of a failure's text: what it comes down to."""
    return text if len(text) <= _EXCERPT else "…" + text[-_EXCERPT:]


def changed_lines(archive: Archive, edits: Sequence[Edit]) -> list[tuple[str, str]]:
    """Each changed file once, with the first new line."""
    first: dict[str, str] = {}
    for edit in edits:
        if edit.path in first:
            continue
        first[edit.path] = ""
        try:
            part = call_at(archive, edit.conversation, edit.seq, edit.part)
        except DejavuError:
            continue
        if isinstance(part, ToolCall):
            for stated in tool_edits(part.name, part.arguments):
                fresh = [
                    line
                    for hunk in stated.hunks
                    for line in hunk.after
                    if line.strip() and line not in hunk.before
                ]
                if fresh and edit.path.endswith(stated.path.removeprefix("./").rsplit("/", 1)[-1]):
                    first[edit.path] = fresh[0].strip()
                    break
    return list(first.items())
