"""What an agent gets at the moment of action: before an edit, around a command, after a compaction.

Silence is the rule: something is said only if the archive surely has it (a decision in a conversation
that changed this very file, a repair of this very failure, the open steps of this very conversation),
once a session, quoted and redacted within `BUDGET` bytes. O(changes of the file, or failures alike).
"""

import os
import re
import secrets
from collections.abc import Callable
from typing import Any, cast

from dejavu.archive import Archive
from dejavu.config.paths import private_folder, state_home
from dejavu.model import Role, ToolCallResponse
from dejavu.model.blake2 import blake2b
from dejavu.recall.context_block import Item, block
from dejavu.services.hook_answer import format_response

from .brief import make_brief
from .failures import Fix, changed_lines, command_text, failure_text, find_fixes
from .fingerprints import command_print
from .index import EditIndex
from .outcome import response_text, succeeded
from .queries import Edit
from .records import absolute
from .tool_arguments import read_path, shell_command, tool_edits
from .why import why_of

BUDGET = 1_024
"""Bytes of an answer."""
FOLDER = "assist"
"""Below the state folder: what each session was told."""
_SURE = 0.8  # of what a failure says that another must say for its repair to be offered unasked
_LONGEST_LAG = 4_000  # changes of the log that are taken in while an agent waits
_EVENTS = {"BeforeTool": "PreToolUse", "AfterTool": "PostToolUse"}
"""Names that some agents have for the same events."""
_RESULTS = ("tool_response", "tool_result", "error")
_TEXTS = ("llmContent", "text_result_for_llm", "message")
"""Where in a result its text is, besides where `response_text` looks."""
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
        if index.lag().entries > _LONGEST_LAG:
            return b""
        index.catch_up()
        item = _item(archive, index, agent, _EVENTS.get(event, event), payload)
    if item is None or not _first_time(payload, item):
        return b""
    text, taken = block([item], nonce=secrets.token_hex(8), redact=redact, budget=BUDGET)
    if not taken:
        return b""
    return format_response(agent, payload, text, event).encode()


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
    if event == "PreToolUse" or command is None:
        item = _of_files(archive, index, payload, own)
        if item is not None or command is None:
            return item
        return _before_command(archive, index, command, own)
    result = next((payload[name] for name in _RESULTS if payload.get(name)), None)
    if result is None or not _failed(event, result):
        return None
    fixes = [
        fix
        for fix in find_fixes(index, _text(result), 3)
        if fix.passed is not None and fix.score >= _SURE and fix.failed.conversation != own
    ]
    return _repair(archive, fixes[0]) if fixes else None


def _of_files(archive: Archive, index: EditIndex, payload: dict[str, Any], own: str) -> Item | None:
    """What was decided about a file that a call changes or has read."""
    tool, given = str(payload.get("tool_name", "")), payload.get("tool_input")
    folder = str(payload.get("cwd") or "")
    for path in [edit.path for edit in tool_edits(tool, given)] or [read_path(tool, given)]:
        item = _decided(archive, index.edits_at(absolute(path, folder)), own) if path else None
        if item is not None:
            return item
    return None


def _failed(event: str, result: object) -> bool:
    """Whether a command failed: the event says so, the result does, or what it printed."""
    if event.endswith("Failure"):
        return True
    code = _exit_code(result)
    if code is not None:
        return code != 0
    response = ToolCallResponse(None, _text(result))
    return succeeded(response, shell=True) is False  # noqa: S604 - its result is a shell's


def _exit_code(result: object) -> int | None:
    fields = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
    code = fields.get("exit_code", fields.get("exitCode", fields.get("returnCode")))
    return code if isinstance(code, int) else None


def _text(result: object) -> str:
    """A result as text, as agents hand it to their hooks."""
    if not isinstance(result, dict):
        return response_text(result)
    fields = cast("dict[str, Any]", result)
    return response_text(next((fields[name] for name in _TEXTS if fields.get(name)), fields))


def _decided(archive: Archive, edits: list[Edit], own: str) -> Item | None:
    """A decision next to the newest change of a file in another conversation."""
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
