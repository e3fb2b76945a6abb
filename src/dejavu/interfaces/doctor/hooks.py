"""Hooks and servers of ours in an agent's own settings: there, out of date, or none.

Takes an agent and its home; tries on a copy of each file what `init` and `uninstall` would do, and
changes nothing. O(the agent's settings).
"""

from collections.abc import Iterator

from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.registration import Edit, edits
from dejavu.providers import INTEGRATIONS, Home

from .finding import Finding, Grade


def hooks(agent: str, home: Home) -> Iterator[Finding]:
    """One finding for an agent that can be registered with."""
    if agent not in INTEGRATIONS:
        return
    present: list[str] = []
    stale: list[str] = []
    closed: list[str] = []
    for edit in edits(agent, home):
        try:
            there, current = _state(edit)
        except (UnreadableFileError, OSError, UnicodeDecodeError) as error:
            closed.append(f"{edit.path}: {error}")
            continue
        if there:
            present.append(f"{edit.what} in {edit.path}")
            stale += [] if current else [str(edit.path)]
    facts = {"installed": bool(present), "entries": present, "stale": stale, "unreadable": closed}
    if closed or stale:
        told = f"cannot be told: {closed[0]}" if closed else f"out of date in {', '.join(stale)}"
        cure = "mend the file" if closed else f"`dejavu upgrade` or `dejavu init {agent}`"
        grade = Grade.NOTE
    else:
        told, cure, grade = "; ".join(present), "", Grade.GOOD
    told = told or f"none of ours; `dejavu init {agent}` adds them"
    yield Finding(subject=f"{agent} hooks", grade=grade, told=told, cure=cure, facts=facts)


def _state(edit: Edit) -> tuple[bool, bool]:
    """Whether an entry of ours is in the file, and whether it is what we would write today."""
    text = edit.path.read_text("utf-8") if edit.path.exists() else ""
    there = bool(text) and edit.remove(text, "") != text
    return there, there and edit.add(text) == text
