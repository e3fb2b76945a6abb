"""`dejavu code fix [ERROR|-]`: the same failure before, what was tried, and what made it pass.

Tested in: tests/interfaces/cli/test_code_commands.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.interfaces.command_line.output import (
    local_time,
    one_line,
    page,
    print_note,
    print_rows,
    style,
)
from dejavu.interfaces.command_line.parameters import Argument
from dejavu.interfaces.filters import decoded, resolve_workspace
from dejavu.model import InvalidValueError, NotFoundError, to_iso
from dejavu.model.conversation import turn_name, turn_number
from dejavu.recall.factory import memory_scope

from ..failures import (
    Fix,
    changed_lines,
    command_text,
    excerpt,
    failure_text,
    find_fixes,
)
from ..open_index import open_edits

if TYPE_CHECKING:
    from dejavu.archive import Archive
    from dejavu.interfaces.command_line.parameters import Json, Limit, Offset, Workspace

_LARGEST = 4 << 20  # characters of stdin


def command(
    error: Annotated[
        list[str] | None,
        Argument(
            metavar="ERROR", help="The error's text; - reads stdin (default: the last failure)."
        ),
    ] = None,
    limit: Limit = 3,
    offset: Offset = 0,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Show how the same failure was fixed before."""
    with open_edits() as (archive, index):
        folder = resolve_workspace(archive, workspace)
        text = _given(error)
        if text is None:
            scope = folder or memory_scope(archive, str(Path.cwd()))
            failed = index.last_failed(scope) or index.last_failed(None)
            if failed is None:
                raise NotFoundError("no failed command is in the archive; give the error's text")
            text = failure_text(archive, failed)
            print_note(f"the last failure: {turn_name(failed.conversation, failed.seq)}")
        found = find_fixes(index, text, offset + limit + 1, workspace=folder)
        fixes, following = page(limit, found, skip=offset)
        documents = [_document(archive, fix) for fix in fixes]
    if json:
        print_rows("fixes", documents, next_offset=following)
        return
    for document in documents:
        _print(document)
    if not documents:
        raise NotFoundError(
            "no failure like it is in the archive; paste the whole message, or use `dejavu search`"
        )


def _given(error: list[str] | None) -> str | None:
    if not error:
        return None
    text = sys.stdin.read(_LARGEST) if error == ["-"] else decoded(" ".join(error))
    if not text.strip():
        raise InvalidValueError(
            "no text in ERROR: give what failed said, or no argument for the last failure"
        )
    return text


def _document(archive: Archive, fix: Fix) -> dict[str, Any]:
    failed, passed = fix.failed, fix.passed
    return {
        "conversation": failed.conversation,
        "seq": failed.seq,
        "agent": failed.agent,
        "workspace": failed.workspace,
        "at": to_iso(failed.at),
        "score": round(fix.score, 3),
        "command": command_text(archive, failed),
        "error": excerpt(failure_text(archive, failed)),
        "changes": [
            {"path": path, "line": line} for path, line in changed_lines(archive, fix.edits)
        ],
        "tried": list(
            dict.fromkeys(filter(None, (command_text(archive, one) for one in fix.tries)))
        ),
        "passed": None
        if passed is None
        else {"seq": passed.seq, "at": to_iso(passed.at), "command": command_text(archive, passed)},
        "failed_at": failed.at,
    }


def _print(document: dict[str, Any]) -> None:
    head = turn_name(document["conversation"], document["seq"])
    when = local_time(document["failed_at"])
    print(
        f"{style(one_line(head), '2')} {when} {one_line(document['agent'])} {document['score']:.2f}"
    )
    print(f"    failed: {one_line(document['command'], 160)}")
    lines = [line for line in document["error"].split("\n") if line.strip()]
    for line in lines[-3:]:
        print(f"        {one_line(line, 160)}")
    for change in document["changes"]:
        print(f"    changed: {one_line(change['path'], 100)}  {one_line(change['line'], 100)}")
    for tried in document["tried"]:
        print(f"    ran: {one_line(tried, 160)}")
    passed = document["passed"]
    if passed is None:
        print("    nothing made it pass in that conversation")
    else:
        print(f"    passed: #{turn_number(passed['seq'])} {one_line(passed['command'], 160)}")
