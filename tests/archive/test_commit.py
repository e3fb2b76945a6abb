"""Batches: equal things change nothing, tails replace tails, heads gather what was known."""

import pytest

from dejavu.archive import Archive, Batch, Change, RawDelta, TurnUpdate
from dejavu.archive.commit import joined
from dejavu.model import ArchiveError, Conversation, Role, Text, Turn, Vector

HEAD = Conversation(id="c", agent="x", workspace="/w", title="a title")


def said(*words: str, **fields: object) -> tuple[Turn, ...]:
    return tuple(Turn(role=Role.USER, parts=(Text(word),), **fields) for word in words)  # type: ignore[arg-type]


def test_put_twice_changes_nothing(archive: Archive) -> None:
    whole = HEAD.with_turns(said("one", "two", at=5.0))
    assert archive.put(whole)
    assert not archive.put(whole)
    assert archive.get("c") == whole
    assert [(e.change, e.start, e.stop) for e in archive.log()] == [(Change.TURNS, 0, 2)]


def test_more_turns_extend_and_fewer_take_nothing_away(archive: Archive) -> None:
    assert archive.put(HEAD.with_turns(said("one")))
    longer = HEAD.with_turns(said("one", "two", "three"))
    assert archive.put(longer)
    assert not archive.put(HEAD.with_turns(said("one", "two")))
    assert archive.get("c") == longer
    assert [(e.start, e.stop) for e in archive.log()] == [(0, 1), (1, 3)]


def test_other_turns_replace_from_the_first_difference(archive: Archive) -> None:
    archive.put(HEAD.with_turns(said("one", "two", "three")))
    assert archive.put(HEAD.with_turns(said("one", "zwei")))
    assert [turn.text for turn in archive.get("c").turns] == ["one", "zwei"]
    assert archive.counts().turns == 2
    assert [(e.start, e.stop) for e in archive.log()][-1] == (1, 2)


def test_a_changed_head_alone_is_noted(archive: Archive) -> None:
    archive.put(HEAD.with_turns(said("one")))
    titled = Conversation(id="c", agent="x", workspace="/w", title="new").with_turns(said("one"))
    assert archive.put(titled)
    last = list(archive.log())[-1]
    assert (last.change, last.start, last.stop, last.replaced) == (Change.SUMMARY, 1, 1, False)


def test_a_moved_conversation_is_noted_whole(archive: Archive) -> None:
    archive.put(HEAD.with_turns(said("one", "two")))
    moved = Conversation(id="c", agent="x", workspace="/elsewhere")
    archive.commit(Batch(updates=[TurnUpdate(moved, 2, said("three"))]))
    last = list(archive.log())[-1]
    assert (last.change, last.start, last.stop, last.replaced) == (Change.TURNS, 0, 3, True)


def test_turns_beyond_the_end_are_refused_and_nothing_is_kept(archive: Archive) -> None:
    archive.put(HEAD.with_turns(said("one")))
    batch = Batch(
        raw={"s": [RawDelta(0, b"bytes")]},
        updates=[TurnUpdate(HEAD, 3, said("four"))],
        cursors={"s": b"5"},
    )
    with pytest.raises(ArchiveError, match="held from 0 to 1, cannot go on at 3"):
        archive.commit(batch)
    assert archive.sources.cursor("s") is None
    assert archive.sources.all_keys() == ()


def test_an_appended_tail_keeps_what_the_head_knew(archive: Archive) -> None:
    first = Conversation(id="c", agent="x", workspace="/w", parent="p", captured_at=9.0)
    archive.commit(Batch(updates=[TurnUpdate(first, 0, said("hello there", at=10.0))]))
    late = said("bye", at=20.0, vector=Vector.SCREEN)
    archive.commit(Batch(updates=[TurnUpdate(Conversation(id="c", agent="x"), 1, late)]))
    summary = archive.summary("c")
    assert (summary.workspace, summary.parent, summary.captured_at) == ("/w", "p", 9.0)
    assert (summary.started_at, summary.ended_at, summary.turn_count) == (10.0, 20.0, 2)
    assert (summary.title, summary.vectors) == ("hello there", (Vector.NATIVE, Vector.SCREEN))


def test_reading_again_later_changes_nothing(archive: Archive) -> None:
    for at in (5.0, 9.0):
        summary = Conversation(id="c", agent="x", captured_at=at)
        receipt = archive.commit(Batch(updates=[TurnUpdate(summary, 0, said("one"))]))
    assert receipt.changed == ()
    assert archive.summary("c").captured_at == 5.0


def test_a_title_comes_from_the_first_prompt_whenever_it_comes(archive: Archive) -> None:
    bare = Conversation(id="c", agent="x")
    system = (Turn(role=Role.SYSTEM, parts=(Text("rules"),)),)
    archive.commit(Batch(updates=[TurnUpdate(bare, 0, system)]))
    assert archive.summary("c").title == ""
    archive.commit(Batch(updates=[TurnUpdate(bare, 1, said("fix it\nplease"))]))
    archive.commit(Batch(updates=[TurnUpdate(bare, 2, said("and that"))]))
    assert archive.summary("c").title == "fix it"
    assert archive.first_prompt("c") == "fix it\nplease"


def test_cursors_states_and_links(archive: Archive) -> None:
    batch = Batch(
        raw={"s": [RawDelta(0, b"line\n")]},
        updates=[TurnUpdate(HEAD, 0, said("one"), "s")],
        cursors={"s": b"cursor"},
        states={"s": b"state"},
        links={"t": ["c", "unknown"]},
    )
    receipt = archive.commit(batch)
    assert receipt == (("c",), 1)
    assert archive.commit(batch) == ((), 1)
    assert (archive.sources.cursor("s"), archive.sources.state("s")) == (b"cursor", b"state")
    assert (
        archive.sources.cursor("none"),
        archive.sources.state("none"),
        archive.sources.state("t"),
    ) == (
        None,
        None,
        None,
    )
    assert archive.sources.of("c") == ("s", "t")
    assert archive.sources.conversations("s") == archive.sources.conversations("t") == ("c",)
    assert archive.sources.conversations("none") == ()
    assert archive.sources.cursors() == {"s": b"cursor"}


def test_appends_that_follow_one_another_are_joined() -> None:
    appends = [
        RawDelta(0, b"12"),
        RawDelta(2, b"3"),
        RawDelta(0, b"y", reset=True),
        RawDelta(1, b"z"),
        RawDelta(9, b"far"),
    ]
    assert [(a.offset, a.data, a.reset) for a in joined(appends)] == [
        (0, b"123", False),
        (0, b"yz", True),
        (9, b"far", False),
    ]
