"""Blocks of turns: any sequence of replacements gives what a plain list would."""

import tracemalloc
from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate, turns
from dejavu.archive.keys import block_key
from dejavu.archive.raw import Chunks, joined
from dejavu.archive.records import Block, unpack
from dejavu.archive.turns import BLOCK_TURNS, PREFIX_BYTES, EncodedTurn
from dejavu.model import Conversation, CorruptArchiveError, Role, Span, Text, Turn

HEAD = Conversation(id="c", agent="x")


def blocks(archive: Archive) -> list[Block]:
    return archive.backend.read(
        lambda txn: [unpack(value, Block) for _, value in txn.items("turns")]
    )


def texts(archive: Archive) -> list[str]:
    turns = archive.get("c").turns
    assert [turn.seq for turn in turns] == list(range(len(turns)))
    return [turn.text for turn in turns]


edits = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 150), st.sampled_from(["a", "b", None])),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25)  # each example makes an archive on disk
@given(edits)
def test_replacing_is_what_a_list_does(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, str | None]]
) -> None:
    model: list[str] = []
    with Archive.open(tmp_path_factory.mktemp("turns") / "archive") as archive:
        for step, (place, count, source) in enumerate(edits):
            start = min(place, len(model))
            new = [f"{step}.{n} some words" for n in range(count)]
            length = archive.sources.raw_length(source) if source else 0
            spans = [Span(length + 20 * n, 18) for n in range(count)]
            raw = "".join(f"{text:<20}" for text in new).encode()
            archive.commit(
                Batch(
                    raw={source: [RawDelta(length, raw)]} if source else {},
                    updates=[
                        TurnUpdate(
                            HEAD,
                            start,
                            [
                                Turn(role=Role.USER, parts=(Text(text),), spans=(span,))
                                for text, span in zip(new, spans, strict=True)
                            ],
                            source,
                        )
                    ],
                )
            )
            model[start:] = new
            assert texts(archive) == model
            assert archive.summary("c").turn_count == len(model) == archive.counts().turns
        middle = len(model) // 2
        assert [t.text for t in archive.turns("c", middle)] == model[middle:]
        assert [t.text for t in archive.turns("c", 1, middle)] == model[1:middle]
        assert all(block.count <= BLOCK_TURNS for block in blocks(archive))


def test_text_that_stands_in_raw_is_stored_once(archive: Archive) -> None:
    said = [f"{n} " + "".join(chr(97 + hash((n, k)) % 26) for k in range(2_000)) for n in range(30)]
    lines = [b'{"say":"%s"}\n' % text.encode() for text in said]
    offsets = [sum(map(len, lines[:n])) for n in range(len(lines))]
    turns = [
        Turn(role=Role.USER, parts=(Text(text),), spans=(Span(offset, len(line)),))
        for text, line, offset in zip(said, lines, offsets, strict=True)
    ]
    batch = Batch(
        raw={"s": [RawDelta(0, b"".join(lines))]}, updates=[TurnUpdate(HEAD, 0, turns, "s")]
    )
    archive.commit(batch)
    assert texts(archive) == said
    assert sum(len(block.frame) for block in blocks(archive)) < len(b"".join(lines)) / 20


def test_appending_turn_by_turn_fills_blocks(archive: Archive) -> None:
    for n in range(150):
        archive.commit(
            Batch(updates=[TurnUpdate(HEAD, n, [Turn(role=Role.USER, parts=(Text(str(n)),))])])
        )
    assert [block.count for block in blocks(archive)] == [64, 64, 22]


def test_spans_beyond_raw_do_no_harm(archive: Archive) -> None:
    turn = Turn(
        role=Role.USER, parts=(Text("hello"),), spans=(Span(0, 900), Span(-5, 3), Span(5, -9))
    )
    archive.commit(
        Batch(
            raw={"s": [RawDelta(0, b"0123456789abcdef")]},
            updates=[TurnUpdate(HEAD, 0, [turn], "s")],
        )
    )
    archive.commit(Batch(raw={"s": [RawDelta(16, b"more that the block never saw")]}))
    assert archive.get("c").turns == (turn,)


def test_a_giant_turn_is_its_own_block(archive: Archive) -> None:
    turns = [Turn(role=Role.USER, parts=(Text("x" * size),)) for size in (10, 3_000_000, 10, 10)]
    archive.commit(Batch(updates=[TurnUpdate(HEAD, 0, turns)]))
    archive.commit(Batch(updates=[TurnUpdate(HEAD, 4, turns[:1])]))
    assert [len(text) for text in texts(archive)] == [10, 3_000_000, 10, 10, 10]
    assert [block.count for block in blocks(archive)] == [2, 3]


@given(
    st.lists(st.builds(Span, st.integers(-10, 5_000_000), st.integers(-10, 3_000_000)), max_size=9)
)
def test_ranges_are_in_order_apart_and_bounded(spans: list[Span]) -> None:
    ranges = joined(spans, PREFIX_BYTES)
    assert sum(length for _, length in ranges) <= PREFIX_BYTES
    ends = [0]
    for offset, length in ranges:
        assert offset >= ends[-1]
        assert length >= 0
        ends.append(offset + length)


def test_a_very_long_text_is_kept_without_a_copy(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_LONG", 100)
    said = tuple(Turn(seq=n, role=Role.USER, parts=(Text("long " * 30),)) for n in range(3))
    archive.put(Conversation(id="a", agent="x", turns=said))
    assert archive.get("a").turns == said
    archive.put(Conversation(id="a", agent="x", turns=(*said, said[0])))
    assert len(archive.get("a").turns) == 4


@settings(max_examples=60)
@given(
    held=st.lists(st.sampled_from([b'"a"', b'"bb"']), max_size=150),
    start=st.integers(0, 160),
    given_texts=st.lists(st.sampled_from([b'"a"', b'"bb"']), max_size=150),
)
def test_comparing_is_what_comparing_lists_is(
    tmp_path_factory: pytest.TempPathFactory,
    held: list[bytes],
    start: int,
    given_texts: list[bytes],
) -> None:
    start = min(start, len(held))
    given_texts = given_texts if start % 3 else held[start : start + len(given_texts)]
    pieces = [EncodedTurn(text, ()) for text in held]
    expected = len(
        list(
            takewhile(lambda pair: pair[0] == pair[1], zip(given_texts, held[start:], strict=False))
        )
    )
    with Archive.open(tmp_path_factory.mktemp("compare") / "archive") as archive:
        archive.backend.write(lambda txn: turns.replace(txn, 1, 0, pieces, None, Chunks()))
        result = archive.backend.read(
            lambda txn: turns.compare(txn, 1, start, given_texts, Chunks())
        )
    assert result == (expected, len(held) - start)


def test_reading_by_blocks_notices_that_one_is_gone(archive: Archive) -> None:
    said = [Turn(seq=n, role=Role.USER, parts=(Text(f"{n}"),)) for n in range(3 * BLOCK_TURNS)]
    archive.commit(Batch(updates=[TurnUpdate(HEAD, 0, said)]))
    assert list(archive.turns("c", 10, 500)) == said[10:]
    assert list(archive.turns("c", 500, 600)) == []
    archive.backend.write(lambda txn: txn.delete("turns", block_key(1, 2 * BLOCK_TURNS)))
    with pytest.raises(CorruptArchiveError, match="turns 128 to 191 of 192 are not there"):
        list(archive.turns("c"))


def test_a_long_conversation_is_read_a_block_at_a_time(archive: Archive) -> None:
    words = "x" * 100_000
    said = [Turn(seq=n, role=Role.USER, parts=(Text(f"{n} {words}"),)) for n in range(200)]
    archive.commit(Batch(updates=[TurnUpdate(HEAD, 0, said)]))
    del said
    tracemalloc.start()
    try:
        assert sum(len(turn.text) for turn in archive.turns("c")) > 20_000_000
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
