"""Hooks and MCP server in an agent's own settings: registered, out of date, or none.

What `init` and `uninstall` would do is tried on a copy of each file. Costs O(the agent's settings).
"""

from collections.abc import Iterator

from dejavu.config.files import read_regular_file
from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.registration import Edit, edits
from dejavu.providers import INTEGRATIONS, Home

from .finding import Finding, Severity


def hooks(agent: str, home: Home) -> Iterator[Finding]:
    """Yield one finding for an agent that can be registered with."""
    if agent not in INTEGRATIONS:
        return
    present: list[str] = []
    stale: list[str] = []
    unreadable: list[str] = []
    for edit in edits(agent, home):
        try:
            registered, current = _state(edit)
        except (UnreadableFileError, OSError, UnicodeDecodeError) as error:
            unreadable.append(f"{edit.path}: {error}")
            continue
        if registered:
            present.append(f"{edit.what} in {edit.path}")
            stale += [] if current else [str(edit.path)]
    facts = {
        "installed": bool(present),
        "entries": present,
        "stale": stale,
        "unreadable": unreadable,
    }
    if unreadable or stale:
        message = (
            f"cannot be read: {unreadable[0]}"
            if unreadable
            else f"out of date in {', '.join(stale)}"
        )
        fix = (
            "repair the file" if unreadable else f"`dejavu init --upgrade` or `dejavu init {agent}`"
        )
        severity = Severity.WARNING
    else:
        message, fix, severity = "; ".join(present), "", Severity.OK
    message = message or f"not registered; `dejavu init {agent}` registers them"
    yield Finding(
        subject=f"{agent} hooks", severity=severity, message=message, fix=fix, facts=facts
    )


def _state(edit: Edit) -> tuple[bool, bool]:
    """Whether an entry of ours is in the file, and whether it is what we would write today."""
    text = read_regular_file(edit.path).decode("utf-8") if edit.path.exists() else ""
    registered = bool(text) and edit.remove(text, "") != text
    return registered, registered and edit.add(text) == text
