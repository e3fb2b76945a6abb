"""Exact search reads everything a turn holds."""

import pytest

from dejavu.archive import Archive
from dejavu.archive.search.substring import pieces, scan_all, scan_candidates
from dejavu.model import (
    Blob,
    Conversation,
    ConversationFilter,
    Extension,
    Reasoning,
    Role,
    Text,
    ToolCall,
    Turn,
)

TURN = Turn(
    role=Role.ASSISTANT,
    parts=(
        Reasoning("hmm"),
        ToolCall("id-1", "Bash", {"command": "ls -la", "deep": [{"er": "bottom"}]}),
        Blob("image/png", "aGVsbG8="),
        Extension("x.note", {"k": "value"}),
        Text("said \u00e9 \ud83d \x1b[0m"),
    ),
)


@pytest.mark.parametrize("text", ["hmm", "ls -l", "bottom", "aGVs", "alue", "\u00e9 \ud83d \x1b["])
def test_every_piece_is_found(archive: Archive, text: str) -> None:
    archive.put(Conversation(id="a", agent="x").with_turns((TURN, Turn(role=Role.USER))))
    ((conversation, turn, piece),) = scan_all(archive.backend, text, ConversationFilter())
    assert (conversation.id, turn.seq) == ("a", 0)
    assert text in piece


def test_what_was_said_comes_first() -> None:
    assert next(pieces(TURN)) == "said \u00e9 \ud83d \x1b[0m"


def test_newest_conversations_and_last_turns_first(archive: Archive) -> None:
    for name, at in (("old", 1.0), ("new", 9.0)):
        turns = tuple(Turn(role=Role.USER, parts=(Text(f"say {n}"),), at=at) for n in range(150))
        archive.put(Conversation(id=name, agent="x").with_turns(turns))
    found = [(c.id, t.seq) for c, t, _ in scan_all(archive.backend, "say", ConversationFilter())]
    assert found == [(name, n) for name in ("new", "old") for n in reversed(range(150))]


def test_only_the_runs_that_are_named_are_read(archive: Archive) -> None:
    for name, at in (("old", 1.0), ("new", 9.0)):
        turns = tuple(Turn(role=Role.USER, parts=(Text(f"say {n}"),), at=at) for n in range(150))
        archive.put(Conversation(id=name, agent="x").with_turns(turns))
    runs = {1: [(3, 5), (140, None)], 2: [(0, 2)], 9: [(0, None)]}
    found = [
        (c.id, t.seq)
        for c, t, _ in scan_candidates(archive.backend, "say", ConversationFilter(), runs)
    ]
    old = [("old", n) for n in (*reversed(range(140, 150)), 4, 3)]
    assert found == [("new", 1), ("new", 0), *old]
    late = [
        c.id
        for c, _, _ in scan_candidates(archive.backend, "say", ConversationFilter(since=5.0), runs)
    ]
    assert set(late) == {"new"}
    assert not list(scan_candidates(archive.backend, "say", ConversationFilter(agent="y"), runs))
