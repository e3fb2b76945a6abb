"""Pruning takes what was named, nothing else, and it stays away."""

import time
from pathlib import Path

import pytest

from dejavu.archive import Archive, Batch, Change, RawDelta, TurnUpdate
from dejavu.model import (
    ArchiveError,
    ConfigError,
    Conversation,
    NotFoundError,
    Role,
    Span,
    Text,
    Turn,
)


def sync(
    archive: Archive,
    name: str,
    start: int,
    *words: str,
    source: str | None = None,
    **fields: object,
) -> None:
    """Append one raw line a word to a source, and the turn it stands for."""
    source = source or f"/{name}.jsonl"
    length = archive.sources.raw_length(source)
    lines = [f"{word}\n".encode() for word in words]
    turns, offset = [], length
    for word, line in zip(words, lines, strict=True):
        turns.append(Turn(role=Role.USER, parts=(Text(word),), spans=(Span(offset, len(line)),)))
        offset += len(line)
    summary = Conversation(id=name, **{"agent": "x", "workspace": "/w", **fields})  # type: ignore[arg-type]
    archive.commit(
        Batch(
            {source: [RawDelta(length, b"".join(lines))]},
            [TurnUpdate(summary, start, turns, source)],
            {source: b"%d" % offset},
        )
    )


@pytest.fixture
def filled(archive: Archive) -> Archive:
    sync(archive, "old", 0, "alpha", "beta", started_at=100.0)
    sync(archive, "new", 0, "gamma", "delta", started_at=900.0, workspace="/v", agent="y")
    return archive


def left(archive: Archive) -> set[str]:
    return {c.id for c in archive.scan()}


@pytest.mark.parametrize(
    "criteria",
    [
        {"before": 500.0},
        {"workspace": "/w"},
        {"agent": "x"},
        {"pattern": "alp.a"},
        {"pattern": "old"},
        {"before": 500.0, "workspace": "/w", "instance": "local", "agent": "x", "pattern": "."},
    ],
)
def test_by_each_criterion(filled: Archive, criteria: dict[str, object]) -> None:
    assert filled.search("alpha")
    would = filled.maintenance.prune(**criteria, dry_run=True)  # type: ignore[arg-type]
    assert left(filled) == {"old", "new"}
    gone = filled.maintenance.prune(**criteria)  # type: ignore[arg-type]
    assert gone == would == (("old",), 2, 11, (), (), ())
    assert left(filled) == {"new"}
    assert filled.search("alpha") == []
    assert [hit.conversation for hit in filled.search("gamma")] == ["new"]
    assert b"".join(filled.sources.raw("/old.jsonl")) == b""
    assert b"".join(filled.sources.raw("/new.jsonl")) == b"gamma\ndelta\n"
    with pytest.raises(NotFoundError):
        filled.get("old")
    assert list(filled.log())[-1].change is Change.REMOVED
    assert filled.maintenance.verify().faults == []
    assert filled.counts().turns == 2


def test_nothing_named_is_refused(filled: Archive) -> None:
    with pytest.raises(ConfigError, match="say what to prune"):
        filled.maintenance.prune()
    with pytest.raises(ConfigError, match="no regular expression"):
        filled.maintenance.prune(pattern="(")
    with pytest.raises(ConfigError, match="say what to prune"):
        filled.maintenance.prune(any_clock=True)
    assert left(filled) == {"old", "new"}


def test_what_met_only_some_stays(filled: Archive) -> None:
    assert filled.maintenance.prune(before=500.0, agent="y") == ((), 0, 0, (), (), ())
    assert filled.maintenance.prune(before=time.time(), pattern="omega").conversations == ()


def test_the_cursor_stays_and_only_what_is_new_comes_back(filled: Archive) -> None:
    filled.maintenance.prune(agent="x")
    assert filled.sources.cursor("/old.jsonl") == b"11"
    sync(filled, "old", 2, "epsilon")
    turns = filled.get("old").turns
    assert [(turn.seq, turn.text) for turn in turns] == [(2, "epsilon")]
    assert [t.text for t in filled.turns("old")] == ["epsilon"]
    assert filled.summary("old").turn_count == 1
    assert b"".join(filled.sources.raw("/old.jsonl")) == b"epsilon\n"
    assert [(hit.conversation, hit.seq) for hit in filled.search("epsilon")] == [("old", 2)]
    sync(filled, "old", 3, "zeta")
    assert [turn.text for turn in filled.get("old").turns] == ["epsilon", "zeta"]
    assert filled.maintenance.verify().faults == []


def test_reading_the_source_anew_brings_nothing_back(filled: Archive) -> None:
    filled.maintenance.prune(agent="x")
    turns = [Turn(role=Role.USER, parts=(Text(word),)) for word in ("alpha", "beta", "eta")]
    whole = b"alpha\nbeta\neta\n"
    update = TurnUpdate(Conversation(id="old", agent="x"), 0, turns, "/old.jsonl")
    filled.commit(Batch({"/old.jsonl": [RawDelta(0, whole, reset=True)]}, [update]))
    assert [turn.text for turn in filled.get("old").turns] == ["eta"]
    assert filled.search("alpha") == []
    assert b"".join(filled.sources.raw("/old.jsonl")) == b""
    assert filled.maintenance.verify().faults == []


def test_putting_a_conversation_brings_it_back(filled: Archive) -> None:
    whole = filled.get("old")
    filled.maintenance.prune(agent="x")
    sync(filled, "old", 2, "epsilon")
    assert filled.put(whole)
    assert [turn.text for turn in filled.get("old").turns] == ["alpha", "beta"]
    assert len(filled.search("alpha")) == 1
    assert filled.search("epsilon") == []
    assert filled.maintenance.verify().faults == []


def test_raw_that_others_need_stays(archive: Archive) -> None:
    sync(archive, "main", 0, "alpha", source="/s")
    sync(archive, "side", 0, "beta", source="/s", agent="y")
    assert archive.maintenance.prune(agent="y") == (("side",), 1, 0, (), (), ())
    assert b"".join(archive.sources.raw("/s")) == b"alpha\nbeta\n"
    assert archive.sources.conversations("/s") == ("main",)
    assert archive.maintenance.prune(agent="x") == (("main",), 1, 11, (), (), ())
    assert archive.maintenance.verify().faults == []


def test_where_there_is_no_room_to_write_it_anew_it_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never that the archive itself should be deleted."""
    with Archive.open(root) as archive:
        archive.put(Conversation(id="a", agent="x").with_turns((Turn(role=Role.USER),)))

        def full(_: object) -> int:
            raise ArchiveError("No space left on device")

        monkeypatch.setattr(type(archive.backend), "compact", full)
        (left,) = archive.maintenance.prune(agent="x").left
        assert (left.path, left.reason) == (root, "No space left on device")
        assert "dejavu archive compact" in left.fix
        assert list(archive.scan()) == []


@pytest.mark.parametrize("captured", [None, 1_795_000_000.0])
def test_an_impossible_clock_is_no_age(archive: Archive, captured: float | None) -> None:
    now = 1_795_100_000.0
    sync(archive, "honest", 0, "alpha", started_at=now - 9e7, captured_at=captured)
    sync(archive, "clock", 0, "beta", started_at=4e7, ended_at=4e7 + 60, captured_at=captured)
    pruned = archive.maintenance.prune(before=now - 3e7)
    assert (pruned.conversations, pruned.doubtful) == (("honest",), ("clock",))
    assert left(archive) == {"clock"}
    assert archive.maintenance.prune(before=now - 3e7, any_clock=True).conversations == ("clock",)


def test_an_impossible_clock_is_judged_by_the_moment_of_capture(archive: Archive) -> None:
    now = 1_795_100_000.0
    sync(archive, "clock", 0, "beta", started_at=4e7, captured_at=now - 9e7)
    assert archive.maintenance.prune(before=now - 3e7).conversations == ("clock",)
