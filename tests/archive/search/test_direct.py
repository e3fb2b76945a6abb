"""What the index lacks is looked at directly, as far as that is bounded; the rest is said."""

import msgspec
import pytest

from dejavu.archive import Archive, Batch, Change, TurnUpdate
from dejavu.archive.search import direct
from dejavu.archive.search.index import LARGE_HEAP
from dejavu.model import Conversation, Role, Text, ToolCall, Turn


def said(name: str, *texts: str, agent: str = "x", workspace: str = "/w") -> Conversation:
    turns = [
        Turn(role=(Role.USER, Role.ASSISTANT)[n % 2], parts=(Text(text),), at=1e9 + n)
        for n, text in enumerate(texts)
    ]
    turns.append(
        Turn(role=Role.ASSISTANT, parts=(ToolCall("1", "Read", {"path": "src/net/retry.py"}),))
    )
    return Conversation(id=name, agent=agent, workspace=workspace).with_turns(tuple(turns))


@pytest.fixture
def busy(archive: Archive) -> Archive:
    """One conversation is indexed; then another process has the index's place, and two come."""
    archive.put(said("old", "the ring buffer of old"))
    archive.update_index()
    engine = archive.search_engine
    writer = engine._opened().writer(LARGE_HEAP)
    assert writer is not None
    archive.put(said("new", "a ring buffer in the RetryBudget", "no socket here"))
    archive.put(said("other", "nothing of that kind", agent="y", workspace="/v"))
    archive.held = writer  # type: ignore[attr-defined]
    return archive


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("ring buffer", {"old", "new"}),
        ('"ring buffer"', {"old", "new"}),
        ('"buffer ring"', set()),
        ("ring -budget", {"old"}),
        ("budg*", {"new"}),
        ("kind agent:y", {"other"}),
        ("kind agent:x", set()),
        ("ring role:assistant", set()),
        ("socket role:assistant", {"new"}),
        ("ring workspace:/w", {"old", "new"}),
        ("tool:read", {"old", "new", "other"}),
        ("path:net/retry.py agent:y", {"other"}),
        ("ring until:1990-01-01", set()),
        ("ring since:2001-01-01", {"old", "new"}),
        ("absent", set()),
    ],
)
def test_the_scan_understands_what_the_index_does(
    busy: Archive, query: str, names: set[str]
) -> None:
    found = busy.search(query)
    assert {hit.conversation for hit in found} == names
    assert found.behind == 0


@pytest.mark.fault("1.9")
def test_what_is_too_much_is_said(busy: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "MOST_TURNS", 2)
    found = busy.search("ring")
    assert {hit.conversation for hit in found} == {"old"}
    assert found.behind == 1


def test_an_index_that_is_whole_lacks_nothing(archive: Archive) -> None:
    archive.put(said("a", "the ring"))
    assert archive.search("ring").behind == 0


@pytest.mark.fault("1.8")
def test_a_full_disk_hides_nothing(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index was ever written, and none can be: the archive is read itself."""
    archive.put(said("a", "the ring"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dejavu.archive.search.index.SearchIndex._open", full)
    found = archive.search("ring")
    assert [hit.conversation for hit in found] == ["a"]
    assert found.behind == 0


def test_a_new_title_after_new_turns_does_not_hide_them(busy: Archive) -> None:
    summary = busy.summary("new")
    changed = msgspec.structs.replace(summary, title="another title")
    busy.commit(Batch(updates=[TurnUpdate(changed, summary.turn_count, [])]))
    assert next(reversed(list(busy.log()))).change is Change.SUMMARY
    assert {hit.conversation for hit in busy.search("ring buffer")} == {"old", "new"}
