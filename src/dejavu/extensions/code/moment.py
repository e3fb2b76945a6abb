"""One moment of conversations: the turns so far, what the model still had of them, the files.

Answers from the archive, the index of edits, git and the files as they are now. States are not recorded;
they follow from the turns before and after the moment, and are `unknown` where those leave it open.
O(turns until then), and what `file_then` costs for each file that was changed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.model import (
    Conversation,
    NotFoundError,
    Role,
    ToolCall,
    ToolCallResponse,
    Turn,
    conversation_to_dict,
    turn_to_dict,
)
from dejavu.model.compaction import still_there
from dejavu.model.turns_until import turns_until

from .dated_commits import DatedCommits
from .file_then import FileThen, file_then
from .git import Repository
from .index import EditIndex

_MOST = 200  # conversations at one moment


@dataclass(frozen=True, slots=True)
class Moment:
    """A conversation at a moment."""

    conversation: Conversation
    turns: tuple[Turn, ...]
    kept: tuple[bool | None, ...]
    """Of each turn whether the model still had it; None where that is not known."""
    open_calls: tuple[str, ...]
    """The tools that were called and had not answered."""
    files: tuple[FileThen, ...]
    state: str = "unknown"
    """`idle` between an answer and the next prompt, `working` between a prompt and its answer."""
    reason: str = ""
    """Why it is that state, or why it is not known."""


def conversations_at(
    archive: Archive, at: float, *, folder: str | None = None
) -> list[Conversation]:
    """The conversations that went on at a moment, else the last one before it.

    folder: only those held in it or below it.

    Raises:
        NotFoundError: there is none.
    """

    def held_there(one: Conversation) -> bool:
        return folder is None or Path(one.workspace or "/").is_relative_to(folder)

    found = [one for one in archive.scan(since=at, until=at, side=False) if held_there(one)]
    if not found:
        before = archive.scan(until=at, side=False)
        found = [one for one in before if held_there(one)][:1]
    if not found:
        raise NotFoundError("no conversation had begun then")
    return found[:_MOST]


def moment(archive: Archive, index: EditIndex, conversation: Conversation, at: float) -> Moment:
    """A conversation as it was at a moment.

    Raises:
        NotFoundError: it had not begun.
    """
    whole = tuple(archive.turns(conversation.id))
    turns = tuple(turns_until(whole, conversation.started_at, at))
    if not turns:
        raise NotFoundError(f"{conversation.id} had not begun then")
    paths = dict.fromkeys(
        edit.path
        for edit in index.edits_of(conversation.id)
        if edit.at is not None and edit.at <= at and edit.ok is not False
    )
    commits: dict[str, DatedCommits | None] = {}
    files = tuple(
        file_then(archive, index, _commits(commits, path), path, at) for path in sorted(paths)
    )
    calls = _open_calls(turns)
    following = whole[len(turns)] if len(whole) > len(turns) else None
    state, reason = _state(turns[-1], following, calls)
    return Moment(conversation, turns, tuple(still_there(turns)), calls, files, state, reason)


def _state(last: Turn, following: Turn | None, calls: tuple[str, ...]) -> tuple[str, str]:
    """The state between two turns, and why. An open call ran or waited for a person: not known."""
    if calls:
        still = "was still" if len(calls) == 1 else "were still"
        return "unknown", f"{', '.join(calls)} {still} running, or waiting for a person"
    if following is None:
        return "unknown", "it has no later turns"
    if following.role == Role.USER and last.role == Role.ASSISTANT:
        return "idle", "it had answered, and the next prompt was not sent yet"
    if following.role == Role.USER:
        return "unknown", "the next prompt came before an answer"
    return "working", "its next turn was still to come"


def document(one: Moment) -> dict[str, Any]:
    """The moment in the shape of `dejavu at --json`."""
    turns = [
        {**turn_to_dict(turn), "kept": "unknown" if kept is None else kept}
        for turn, kept in zip(one.turns, one.kept, strict=True)
    ]
    files = [
        {
            "path": file.path, "sha256": file.sha256 or None,
            "certain": "unknown" if file.certain is None else file.certain,
            "reason": file.reason or None,
        }
        for file in one.files
    ]  # fmt: skip
    return {
        "conversation": conversation_to_dict(one.conversation), "state": one.state,
        "state_reason": one.reason,
        "open_calls": list(one.open_calls), "turns": turns, "files": files,
    }  # fmt: skip


def _open_calls(turns: tuple[Turn, ...]) -> tuple[str, ...]:
    names: dict[str, str] = {}
    for turn in turns:
        if turn.role == Role.USER:
            names.clear()  # a new prompt: what was called before has ended, or was given up
        for part in turn.parts:
            if isinstance(part, ToolCall) and part.id:
                names[part.id] = part.name
            elif isinstance(part, ToolCallResponse) and part.id:
                names.pop(part.id, None)
    return tuple(names.values())


def _commits(known: dict[str, DatedCommits | None], path: str) -> DatedCommits | None:
    """The commits of the repository that a file is in, asked once a folder."""
    folder = str(Path(path).parent)
    if folder not in known:
        there = Path(folder)
        repository = Repository.of(there) if there.is_dir() else None
        known[folder] = DatedCommits(repository) if repository else None
    return known[folder]
