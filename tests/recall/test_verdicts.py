"""What a person says of a hit is kept, the last word counts, and a week's precision is told from it."""

from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.model import NotFoundError
from dejavu.recall.context_block import Item
from dejavu.recall.injection_log import note
from dejavu.recall.memory.memory import Memory
from dejavu.recall.memory.memory_records import ShownHit
from dejavu.recall.verdicts import WEEK, judge_hit, precision


def given(archive: Archive, conversation: str, seq: int, at: float) -> str:
    item = Item(conversation, seq, "claude", "assistant", at, 0.8, ("lexical",), "text", "/w")
    note(archive, [item], "session", "/w", 100, at)
    return f"{conversation}#{seq + 1}"


def test_a_week(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        right, wrong = given(archive, "claude_a", 3, 10.0), given(archive, "claude_b", 0, 20.0)
        shown = [ShownHit("claude_c#1", 0.3, False), ShownHit("claude_d#1", 0.2, False)]
        Memory(archive).log_recall("why", [], shown)
        judge_hit(archive, right, right=False, at=30.0)
        assert judge_hit(archive, right, right=True, at=31.0).given
        judge_hit(archive, wrong, right=False, at=32.0)
        assert not judge_hit(archive, "claude_c#1", right=True, at=33.0).given
        judge_hit(archive, "claude_d#1", right=False, at=34.0)
        found = precision(archive, 40.0 - WEEK)
        assert (found.injections, found.right, found.wrong) == (2, 1, 1)
        assert (found.missed, found.withheld, found.share) == (1, 1, 0.5)
        later = precision(archive, 40.0)
        assert (later.injections, later.right, later.share) == (0, 0, None)


def test_what_was_not_shown_cannot_be_judged(tmp_path: Path) -> None:
    with (
        Archive.open(tmp_path / "archive") as archive,
        pytest.raises(NotFoundError, match="never recalled"),
    ):
        judge_hit(archive, "claude_a#1", right=True)
