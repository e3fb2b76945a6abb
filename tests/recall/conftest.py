"""An archive in a fresh folder, its memories, and sessions to put in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.model import (
    Conversation,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    conversation_id,
)
from dejavu.recall import Memory


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def archive(root: Path) -> Iterator[Archive]:
    with Archive.open(root) as opened:
        yield opened


@pytest.fixture
def memory(archive: Archive) -> Memory:
    return Memory(archive)


def session(
    name: str,
    *said: tuple[Role, str] | Turn,
    workspace: str = "/w",
    at: float = 1_790_000_000.0,
    agent: str = "claude",
    parent: str | None = None,
) -> Conversation:
    """A conversation of texts (and whole turns), a second apart."""
    turns = tuple(
        one if isinstance(one, Turn) else Turn(role=one[0], parts=(Text(one[1]),), at=at + number)
        for number, one in enumerate(said)
    )
    return Conversation(
        id=conversation_id(agent, "local", name),
        agent=agent,
        native_id=name,
        workspace=workspace,
        started_at=at,
        parent=parent,
    ).with_turns(turns)


USER, ASSISTANT, TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


@pytest.fixture
def told(archive: Archive) -> Archive:
    """Three sessions of one workspace and one of another."""
    archive.put(
        session(
            "retry",
            (USER, "Why does the retry_budget run dry in the gateway?"),
            (ASSISTANT, "Because `RetryBudget.tick` is never called; we add a timer for it."),
            Turn(
                role=ASSISTANT,
                parts=(ToolCall("1", "Edit", {"file_path": "src/net/retry.py"}),),
                at=1_790_000_002.0,
            ),
            Turn(
                role=TOOL,
                parts=(ToolCallResponse("1", "zebra quagga okapi written to the file"),),
                at=1_790_000_003.0,
            ),
            (ASSISTANT, "The budget refills every second now."),
        )
    )
    archive.put(
        session(
            "retention-old",
            (USER, "How long do we keep the audit records?"),
            (ASSISTANT, "The retention window of audit records is 30 days."),
            at=1_790_100_000.0,
        )
    )
    archive.put(
        session(
            "retention-new",
            (USER, "Change the retention of audit records."),
            (ASSISTANT, "The retention window of audit records is 90 days."),
            at=1_791_000_000.0,
            agent="codex",
        )
    )
    archive.put(
        session(
            "other",
            (USER, "Which paint dries quickly on the fence?"),
            (ASSISTANT, "Acrylic paint dries quickly on a fence."),
            workspace="/x",
        )
    )
    return archive
