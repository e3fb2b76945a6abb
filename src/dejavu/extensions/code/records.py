"""Records of the index: what one tool call did, found from the turns of a conversation.

`calls_of` pairs calls with their results and reads off each what it changed and ran. Does no I/O.
Costs O(turns).

Tested in: tests/extensions/code/test_tool_answers.py
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

import msgspec

from dejavu.model import Extension, Role, Text, ToolCall, ToolCallResponse, Turn

from .file_edit import EditKind, FileEdit, Hunk
from .fingerprints import command_print, failure_prints, name_prints, program_of
from .hunk_prints import HunkPrints, digest, line_prints
from .outcome import response_text, succeeded
from .patches import block_edits, is_blocks
from .tool_arguments import read_path, shell_command, tool_edits, working_folder

_COMPARED = 2_000  # lines of a hunk that are compared line by line
_EDGE = 240  # characters kept of a line that may be part of one
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


class EditRecord(msgspec.Struct, frozen=True):
    """A change of one file: `path` is absolute where the workspace is known."""

    path: str
    kind: str
    hunks: tuple[HunkPrints, ...]
    source: str = ""


class CallRecord(msgspec.Struct, kw_only=True):
    """A tool call: where it is, what it ran, whether it succeeded (None: not said)."""

    seq: int
    part: int
    at: float | None
    tool: str
    program: str
    command: bytes = b""
    call_id: str | None = None
    ok: bool | None = None
    answered: bool = False
    shell: bool = False
    asked: int | None = None
    """The turn of the prompt before it, where that was read."""
    said: int | None = None
    """The last turn in which the agent said something since that prompt."""
    reads: str = ""
    """The absolute path of the file that the call reads."""
    edits: tuple[EditRecord, ...] = ()
    failure: tuple[bytes, ...] = ()


def absolute(path: str, *folders: str) -> str:
    """A path below the last of `folders` (each below the one before), normalised."""
    if _DRIVE.match(path):
        return posixpath.normpath(path.replace("\\", "/"))
    for folder in reversed(folders):
        if path.startswith("/"):
            break
        if folder:
            path = posixpath.join(folder.replace("\\", "/"), path)
    return posixpath.normpath(path)


def calls_of(turns: Iterable[Turn], workspace: str) -> Iterator[CallRecord]:
    """The calls in turns, each with its result where that is among them."""
    waiting: list[CallRecord] = []
    calls: list[CallRecord] = []
    asked: int | None = None
    said: int | None = None
    for turn in turns:
        if turn.role == Role.USER and turn.text.strip():
            asked, said = turn.seq, None
        elif turn.role == Role.ASSISTANT and turn.text.strip():
            said = turn.seq
        for position, part in enumerate(turn.parts):
            if isinstance(part, ToolCallResponse):
                _answer(waiting, part)
                continue
            call = _call(turn, position, part, workspace)
            if call is None:
                continue
            call.asked, call.said = asked, said
            calls.append(call)
            if not call.answered:
                waiting.append(call)
        if turn.role == Role.USER and turn.text and len(waiting) > 64:
            waiting.clear()
    yield from calls


def _answer(waiting: list[CallRecord], part: ToolCallResponse) -> None:
    """Give a result to its call: by id, or to the oldest that waits where there are no ids."""
    call = next((one for one in waiting if part.id is not None and one.call_id == part.id), None)
    if call is None:
        call = next((one for one in waiting if part.id is None or one.call_id is None), None)
    if call is None:
        return
    waiting.remove(call)
    call.answered = True
    call.ok = succeeded(part, shell=call.shell)
    if call.ok is False:
        text = response_text(part.response)
        call.failure = (*failure_prints(text), *name_prints(text))


def _call(turn: Turn, position: int, part: Any, workspace: str) -> CallRecord | None:
    if isinstance(part, ToolCall):
        command = shell_command(part.name, part.arguments)
        edits = tool_edits(part.name, part.arguments)
        folder = working_folder(part.arguments)
        program = part.name if command is None else program_of(command)
        path = "" if edits or command is not None else read_path(part.name, part.arguments)
        subject = edits[0].path if edits else _brief(part.arguments)
        return CallRecord(
            seq=turn.seq, part=position, at=turn.at, tool=part.name[:80], program=program[:80],
            command=digest(f"{part.name} {subject}") if command is None else command_print(command),
            call_id=part.id, shell=command is not None,
            reads=absolute(path, workspace, folder) if path else "",
            edits=tuple(edit_record(edit, workspace, folder) for edit in edits),
        )  # fmt: skip
    edits = []
    if isinstance(part, Extension) and part.kind.endswith("diff"):
        edits = tool_edits("diff", part.data)
    elif isinstance(part, Text) and turn.role == Role.ASSISTANT and is_blocks(part.content):
        edits = block_edits(part.content)
    if not edits:
        return None
    return CallRecord(
        seq=turn.seq, part=position, at=turn.at, tool="", program="", answered=True,
        edits=tuple(edit_record(edit, workspace, "") for edit in edits),
    )  # fmt: skip


def _brief(arguments: object) -> str:
    return msgspec.json.encode(arguments)[:400].decode("utf-8", "replace")


def edit_record(edit: FileEdit, workspace: str, folder: str) -> EditRecord:
    """A change as the index keeps it."""
    source = absolute(edit.source, workspace, folder) if edit.source else ""
    partial = edit.kind is EditKind.REPLACE
    hunks = tuple(_hunk_prints(hunk, partial=partial) for hunk in edit.hunks)
    return EditRecord(absolute(edit.path, workspace, folder), str(edit.kind), hunks, source)


def _hunk_prints(hunk: Hunk, *, partial: bool) -> HunkPrints:
    before, after = line_prints(hunk.before), line_prints(hunk.after)
    new = bytearray(b"\1" * len(after))
    if before and max(len(before), len(after)) <= _COMPARED:
        for match in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
            new[match.b : match.b + match.size] = bytes(match.size)
    elif before:
        kept = set(before)
        new = bytearray(line not in kept for line in after)
    edges = ("", "")
    if partial and hunk.after:
        edges = (hunk.after[0].strip()[:_EDGE], hunk.after[-1].strip()[:_EDGE])
    return HunkPrints(b"".join(before), b"".join(after), bytes(new), edges)
