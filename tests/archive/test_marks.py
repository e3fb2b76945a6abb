"""Marks: kept with the conversation, whatever its source says later."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.archive import Archive
from dejavu.archive.log import Change
from dejavu.archive.marks import MarkChange, marked, tag_counts, with_marks_of
from dejavu.model import (
    Batch,
    Conversation,
    ConversationFilter,
    NotFoundError,
    Role,
    Text,
    Turn,
    TurnUpdate,
)


def _talk(name: str, text: str, title: str = "") -> Conversation:
    turns = (Turn(seq=0, role=Role.USER, parts=(Text(text),), at=1.0),)
    return Conversation(id=name, agent="claude", title=title).with_turns(turns)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    archive = Archive.open(tmp_path / "archive")
    archive.put(_talk("one", "the ring buffer is full"))
    archive.put(_talk("two", "the ring buffer is empty"))
    return archive


def test_a_change_is_one_entry_of_the_log_without_turns(archive: Archive) -> None:
    before = list(archive.log())
    assert archive.mark("one", MarkChange(starred=True, add=frozenset({"bug"})))
    [entry] = archive.log(before[-1].sequence)
    assert (entry.change, entry.conversation) == (Change.SUMMARY, "one")
    assert entry.is_summary_only
    assert not archive.mark("one", MarkChange(starred=True))
    assert list(archive.log(entry.sequence)) == []
    assert archive.maintenance.verify().clean


def test_marks_outlive_a_source_that_is_read_again(archive: Archive) -> None:
    archive.mark("one", MarkChange(True, frozenset({"bug"}), title="Mine"))
    again = _talk("one", "the ring buffer is full again", title="The agent's")
    archive.commit(Batch(updates=[TurnUpdate(again, 0, again.turns)]))
    kept = archive.get("one")
    assert (kept.starred, kept.tags, kept.title) == (True, ("bug",), "Mine")
    assert kept.agent_title == "The agent's"
    archive.mark("one", MarkChange(title=""))
    assert (archive.summary("one").title, archive.summary("one").agent_title) == (
        "The agent's",
        None,
    )


def test_a_turn_more_without_a_title_keeps_both_titles(archive: Archive) -> None:
    archive.mark("one", MarkChange(title="Mine"))
    more = Turn(seq=1, role=Role.ASSISTANT, parts=(Text("so it is"),), at=2.0)
    untitled = Conversation(id="one", agent="claude")
    archive.commit(Batch(updates=[TurnUpdate(untitled, 1, (more,))]))
    kept = archive.summary("one")
    assert (kept.title, kept.agent_title) == ("Mine", "the ring buffer is full")


def test_a_scan_takes_marks(archive: Archive) -> None:
    archive.mark("one", MarkChange(starred=True, add=frozenset({"bug", "net"})))
    archive.mark("two", MarkChange(add=frozenset({"bug"})))

    def listed(wanted: ConversationFilter) -> set[str]:
        return {one.id for one in archive.select(wanted)}

    assert listed(ConversationFilter(starred=True)) == {"one"}
    assert listed(ConversationFilter(tags=frozenset({"bug"}))) == {"one", "two"}
    assert listed(ConversationFilter(tags=frozenset({"bug", "net"}))) == {"one"}
    assert listed(ConversationFilter(without_tags=frozenset({"net"}))) == {"two"}
    assert tag_counts(archive.scan()) == {"bug": 2, "net": 1}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ring tag:bug", {"one"}),
        ("ring -tag:bug", {"two"}),
        ("is:starred ring", {"two"}),
        ("-is:starred", {"one"}),
        ("tag:BUG", {"one"}),
        ("ring is:starred tag:bug", set[str]()),
        ("is:starred -ring", set[str]()),
    ],
)
def test_a_search_looks_in_marked_conversations_alone(
    archive: Archive, query: str, found: set[str]
) -> None:
    archive.mark("one", MarkChange(add=frozenset({"bug"})))
    archive.mark("two", MarkChange(starred=True))
    assert {hit.conversation for hit in archive.search(query)} == found
    archive.update_index()
    assert {hit.conversation for hit in archive.search(query)} == found


def test_a_mark_that_nothing_has_is_said(archive: Archive) -> None:
    archive.mark("one", MarkChange(add=frozenset({"bug"})))
    assert archive.search("ring tag:bgu").notes == [
        "no conversation has tag:bgu; did you mean bug?"
    ]
    assert archive.search("is:starred").notes == [
        "no conversation is starred; `dejavu star ID` stars one"
    ]
    assert "is:lost is unknown" in archive.search("is:lost ring").notes[0]


def test_a_deleted_conversation_takes_its_marks_along(archive: Archive) -> None:
    archive.mark("one", MarkChange(starred=True))
    archive.maintenance.prune(only=("one",))
    assert not archive.search("is:starred")
    with pytest.raises(NotFoundError):
        archive.mark("one", MarkChange(starred=True))


def test_a_backup_has_them(archive: Archive, tmp_path: Path) -> None:
    archive.mark("one", MarkChange(starred=True, add=frozenset({"bug"}), title="Mine"))
    archive.maintenance.backup(tmp_path / "copy")
    with Archive.open(tmp_path / "copy") as copy:
        assert copy.get("one") == archive.get("one")


_TAGS = st.frozensets(st.sampled_from(["a", "b", "c"]))
_CHANGES = st.builds(
    MarkChange,
    starred=st.none() | st.booleans(),
    add=_TAGS,
    remove=_TAGS,
    title=st.none() | st.sampled_from(["", "Mine", "Other"]),
)


@given(st.lists(_CHANGES, max_size=6))
def test_the_agents_title_always_comes_back(changes: list[MarkChange]) -> None:
    first = _talk("one", "hello", title="The agent's")
    conversation = first
    for change in changes:
        conversation = marked(conversation, change)
        assert marked(conversation, change) == conversation
        assert with_marks_of(first, conversation) == conversation
    assert marked(conversation, MarkChange(title="")).title == "The agent's"
