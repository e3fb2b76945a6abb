"""Verify is silent about a whole store and finds every kind of damage."""

import pytest

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate, log
from dejavu.archive.backends.transaction import Writer
from dejavu.archive.records import Chunk, Source, pack, unpack
from dejavu.model import Conversation, Role, Span, Text, Turn


@pytest.fixture
def filled(archive: Archive) -> Archive:
    for name in "ab":
        raw = b"".join(b'{"text":"line %d of %s"}\n' % (n, name.encode()) for n in range(24_000))
        turns = [
            Turn(
                role=Role.USER,
                parts=(Text(f"line {n} of {name}"),),
                at=float(n),
                spans=(Span(24 * n, 24),),
            )
            for n in range(100)
        ]
        summary = Conversation(id=name, agent="x")
        archive.commit(
            Batch(
                {name: [RawDelta(0, raw)]},
                [TurnUpdate(summary, 0, turns, name)],
                {name: b"c"},
                {name: b"s"},
            )
        )
        archive.commit(Batch({name: [RawDelta(0, raw[5:], reset=True)]}))
    return archive


def test_a_whole_store_is_clean_and_counted(filled: Archive) -> None:
    report = filled.maintenance.verify()
    assert report.clean, report.faults
    counts = filled.counts()
    assert (report.conversations, report.turns, report.sources) == (2, 200, 2)
    assert report.raw_bytes == counts.raw_bytes
    assert counts.turns == 200
    assert counts.by_agent == {"x": 2}


def damage_chunk(txn: Writer) -> None:
    key, value = next(iter(txn.items("raw")))
    chunk = unpack(value, Chunk)
    frame = bytearray(chunk.frame)
    frame[len(frame) // 2] ^= 0xFF
    chunk.frame = bytes(frame)
    txn.put("raw", key, pack(chunk))


def lose_chunk(txn: Writer) -> None:
    txn.delete("raw", next(txn.keys("raw")))


def lose_last_chunk(txn: Writer) -> None:
    txn.delete("raw", list(txn.keys("raw"))[-1])


def lose_block(txn: Writer) -> None:
    txn.delete("turns", next(txn.keys("turns")))


def damage_head(txn: Writer) -> None:
    txn.put("summaries", b"a", b"\xc1")


def lose_head(txn: Writer) -> None:
    txn.delete("summaries", b"a")


def lose_order(txn: Writer) -> None:
    txn.delete("order", next(txn.keys("order")))


def lose_number(txn: Writer) -> None:
    txn.delete("numbers", next(txn.keys("numbers")))


def lose_source(txn: Writer) -> None:
    txn.delete("sources", next(txn.keys("sources")))


def lose_meta(txn: Writer) -> None:
    txn.delete("meta", b"meta")


def miscount(txn: Writer) -> None:
    meta = log.load_meta(txn)
    assert meta is not None
    meta.turns += 1
    meta.raw_bytes -= 1
    log.save_meta(txn, meta)


def lengthen(txn: Writer) -> None:
    key, value = next(iter(txn.items("sources")))
    source = unpack(value, Source)
    source.length += 10
    txn.put("sources", key, pack(source))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (damage_chunk, "checksum"),
        (lose_chunk, "missing at 0"),
        (lose_last_chunk, "raw ends at"),
        (lose_block, "turns, not 100"),
        (damage_head, "cannot be read"),
        (lose_head, "nothing leads to"),
        (lose_order, "not listed"),
        (lose_number, "leads elsewhere"),
        (lose_source, "nothing leads to"),
        (lose_meta, "lost its own record"),
        (miscount, "counts 201 turns, holds 200"),
        (lengthen, "raw ends at"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_every_harm_is_found(filled: Archive, harm: object, said: str) -> None:
    filled.backend.write(harm)  # type: ignore[arg-type]
    report = filled.maintenance.verify()
    assert not report.clean
    assert any(said in fault for fault in report.faults), report.faults


def test_faults_are_bounded(filled: Archive) -> None:
    filled.backend.write(
        lambda txn: [txn.put("states", (9_000 + n).to_bytes(8, "big"), b"") for n in range(1_200)]
    )
    report = filled.maintenance.verify()
    assert (len(report.faults), report.uncounted) == (1_000, 200)
