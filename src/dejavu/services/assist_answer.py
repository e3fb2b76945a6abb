"""What an agent is told at the moment of action: before an edit, around a command, after a compaction.

Silence is the rule: something is said only if the archive surely has it (a decision in a conversation
that changed this very file, a repair of this very failure, the open steps of this very conversation),
once a session, quoted and redacted within `BUDGET` bytes. O(changes of the file, or failures alike).
"""

import json
import os
import re
import secrets
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, cast

from dejavu.archive import Archive
from dejavu.config.paths import private_folder, state_home
from dejavu.edits.brief import make_brief
from dejavu.edits.failures import Fix, changed_lines, command_text, failure_text, find_fixes
from dejavu.edits.fingerprints import command_print
from dejavu.edits.index import EditIndex
from dejavu.edits.outcome import response_text
from dejavu.edits.queries import Edit
from dejavu.edits.records import absolute
from dejavu.edits.tool_arguments import shell_command, tool_edits
from dejavu.edits.why import why_of
from dejavu.model import Role
from dejavu.recall.context_block import Item, block

BUDGET = 1_024
"""Bytes of an answer."""
FOLDER = "assist"
"""Below the state folder: what each session was told."""
_SURE = 0.8  # of what a failure says that another must say for its repair to be offered unasked
_LONGEST_LAG = 4_000  # changes of the log that are taken in while an agent waits
_RESULTS = ("tool_response", "tool_result", "error")
_DECISION = re.compile(
    r"\b(?:decided|must not|do(?: not|n't) (?:use|touch|change|add|edit)|never|always|instead of|"
    r"agreed|generated|by hand)\b",
    re.IGNORECASE,
)


def assist(
    archive: Archive, agent: str, payload: dict[str, Any], redact: Callable[[str], str]
) -> bytes:
    """What the hook prints for a payload; empty where nothing is to be said."""
    event = str(payload.get("hook_event_name", ""))
    with EditIndex(archive) as index:
        if index.behind() > _LONGEST_LAG:
            return b""
        index.catch_up()
        item = _item(archive, index, agent, event, payload)
    if item is None or not _first_time(payload, item):
        return b""
    text, taken = block([item], nonce=secrets.token_hex(8), redact=redact, budget=BUDGET)
    if not taken:
        return b""
    output = {"hookEventName": event, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output}).encode()


def _item(
    archive: Archive, index: EditIndex, agent: str, event: str, payload: dict[str, Any]
) -> Item | None:
    session = str(payload.get("session_id") or "")
    own = next(
        (c.id for c in archive.scan(agent=agent or None, limit=200) if c.native_id == session), ""
    )
    if event == "SessionStart":
        if payload.get("source") != "compact" or not own:
            return None
        brief = make_brief(archive, index, own, lambda text: text)
        sections = brief.text.split("\n## ")[1:3]
        return _quote(own, None, agent, "lost in the compaction", 1.0, "\n".join(sections))
    tool, given = str(payload.get("tool_name", "")), payload.get("tool_input")
    command = shell_command(tool, given)
    folder = str(payload.get("cwd") or "")
    if event == "PreToolUse":
        if command is not None:
            return _before_command(archive, index, command, own)
        for edit in tool_edits(tool, given):
            item = _decided(archive, index.edits_at(absolute(edit.path, folder)), own)
            if item is not None:
                return item
        return None
    result = next((payload[name] for name in _RESULTS if payload.get(name)), None)
    if command is None or result is None or not _failed(event, result):
        return None
    fixes = [
        fix
        for fix in find_fixes(index, response_text(cast("object", result)), 3)
        if fix.passed is not None and fix.score >= _SURE and fix.failed.conversation != own
    ]
    return _repair(archive, fixes[0]) if fixes else None


def _failed(event: str, result: object) -> bool:
    if event.endswith("Failure"):
        return True
    fields = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
    code = fields.get("exit_code", fields.get("exitCode", fields.get("returnCode")))
    return isinstance(code, int) and code != 0


def _decided(archive: Archive, edits: list[Edit], own: str) -> Item | None:
    """A decision beside the newest change of a file in another conversation."""
    for edit in reversed(edits[-6:]):
        if edit.conversation == own:
            continue
        why = why_of(archive, edit.conversation, edit.seq)
        start = edit.seq if why.asked is None else why.asked
        name = edit.path.rsplit("/", 1)[-1]
        for turn in archive.turns(edit.conversation, start, edit.seq + 12):
            if turn.seq > start and turn.role == Role.USER and turn.seq > edit.seq:
                break
            if turn.role not in (Role.USER, Role.ASSISTANT):
                continue
            for sentence in re.split(r"(?<=[.!?])\s+|\n+", turn.text):
                if len(sentence) <= 400 and _DECISION.search(sentence):
                    text = f"On {name}: {sentence.strip()}"
                    return _quote(
                        edit.conversation, turn.seq, edit.agent, str(turn.role), 1.0, text, edit
                    )
    return None


def _before_command(archive: Archive, index: EditIndex, command: str, own: str) -> Item | None:
    """That a command failed whenever it was run before, and what worked in its place."""
    calls = [
        call for call in index.calls_like(command_print(command), 8) if call.conversation != own
    ]
    if not calls or any(call.ok is not False for call in calls):
        return None
    fixes = [
        fix
        for fix in find_fixes(index, failure_text(archive, calls[0]), 3)
        if fix.passed is not None
    ]
    same = [fix for fix in fixes if fix.failed.command == calls[0].command]
    return _repair(archive, same[0]) if same else None


def _repair(archive: Archive, fix: Fix) -> Item:
    lines = [f"`{command_text(archive, fix.failed)[:160]}` failed the same way."]
    lines += [
        f"Changed: {path} {line[:120]}" for path, line in changed_lines(archive, fix.edits)[:4]
    ]
    lines += [f"Ran: {command_text(archive, one)[:120]}" for one in fix.tries[-3:]]
    if fix.passed is not None:
        lines.append(f"Then this passed: {command_text(archive, fix.passed)[:160]}")
    failed = fix.failed
    return Item(
        failed.conversation, failed.seq, failed.agent, "fix", failed.at, fix.score, ("fix",),
        "\n".join(lines), failed.workspace,
    )  # fmt: skip


def _quote(
    conversation: str, seq: int | None, agent: str, role: str, score: float, text: str,
    edit: Edit | None = None,
) -> Item:  # fmt: skip
    at, where = (None, "") if edit is None else (edit.at, edit.workspace)
    return Item(conversation, seq, agent, role, at, score, ("assist",), text, where)


def _first_time(payload: dict[str, Any], item: Item) -> bool:
    """Whether a session was not told this yet; it is noted that it was."""
    session = str(payload.get("session_id") or "")
    name = blake2b(session.encode("utf-8", "replace"), digest_size=12).hexdigest()
    said = blake2b(item.text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    path = private_folder(state_home() / FOLDER) / name
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "r+") as file:
        if said in file.read().split():
            return False
        file.write(f"{said}\n")
    return True
