"""Blocks of turns: any sequence of replacements gives what a plain list would."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate, turns
from dejavu.archive.records import Block, unpack
from dejavu.archive.turns import BLOCK_TURNS, PREFIX_BYTES, _ranges
from dejavu.model import Conversation, Role, Span, Text, Turn

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
            length = archive.raw_length(source) if source else 0
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
    ranges = _ranges(spans)
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
