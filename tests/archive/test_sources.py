"""Sources: where reading goes on, and which conversations came of it."""

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.model import Conversation, Role, Turn


def test_a_source_never_seen_is_nothing(archive: Archive) -> None:
    assert (
        archive.sources.cursor("s"),
        archive.sources.state("s"),
        archive.sources.raw_length("s"),
    ) == (None, None, 0)
    assert (
        archive.sources.conversations("s"),
        archive.sources.all_keys(),
        archive.sources.cursors(),
    ) == ((), (), {})


def test_what_the_last_commit_said(archive: Archive) -> None:
    for n in range(3):
        archive.commit(
            Batch({"s": [RawDelta(n, b"x")]}, (), {"s": b"c%d" % n}, {"s": b"s%d" % n, "t": b"t"})
        )
    assert (
        archive.sources.cursor("s"),
        archive.sources.state("s"),
        archive.sources.raw_length("s"),
    ) == (b"c2", b"s2", 3)
    assert (archive.sources.cursor("t"), archive.sources.state("t")) == (None, b"t")
    assert archive.sources.cursors() == {"s": b"c2"}
    assert set(archive.sources.all_keys()) == {"s", "t"}


def test_one_source_of_many_and_many_of_one(archive: Archive) -> None:
    heads = [Conversation(id=name, agent="x") for name in "ab"]
    turns = [Turn(role=Role.USER)]
    archive.commit(Batch(updates=[TurnUpdate(summary, 0, turns, "s") for summary in heads]))
    archive.commit(Batch(updates=[TurnUpdate(heads[0], 1, turns, "t")]))
    assert archive.sources.conversations("s") == ("a", "b")
    assert archive.sources.of("a") == ("s", "t")
    assert archive.sources.of("b") == ("s",)


def test_raw_comes_in_pieces_of_a_mebibyte(archive: Archive) -> None:
    whole = bytes(range(251)) * 10_000
    archive.commit(Batch({"s": [RawDelta(0, whole)]}))
    pieces = list(archive.sources.raw("s"))
    assert b"".join(pieces) == whole
    assert [len(piece) for piece in pieces[:-1]] == [1 << 20] * (len(pieces) - 1)
