"""Old raw is packed: the same bytes and turns, less room, in bounded steps that can be gone on with."""

import random
from functools import partial
from pathlib import Path

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.archive.maintenance import pack
from dejavu.archive.records import PackedExtent
from dejavu.archive.withheld import MaskChain
from dejavu.model import Conversation, Role, Span, Text, Turn

OLD = 1_700_000_000.0
NOW = OLD + 100 * pack.DAY
WORDS = [
    "the",
    "retry",
    "budget",
    "of",
    "a",
    "socket",
    "that",
    "nobody",
    "closed",
    "was",
    "spent",
    "on",
    "a",
    "header",
]


def written(size: int, seed: int = 1) -> bytes:
    """Lines of words, compressible as a session file is."""
    chance = random.Random(seed)
    lines = (" ".join(chance.choices(WORDS, k=30)) for _ in range(size // 170 + 1))
    return ("\n".join(lines) + "\n").encode()


def keep(archive: Archive, name: str, data: bytes, *, at: float = OLD, start: int = 0) -> None:
    """A session of one turn that leans on its raw; `start` > 0 continues it."""
    turn = Turn(
        role=Role.USER, parts=(Text(data[:60_000].decode()),), at=at,
        spans=(Span(start, min(len(data), 60_000)),),
    )  # fmt: skip
    update = TurnUpdate(Conversation(id=name, agent="x"), 1 if start else 0, [turn], name)
    archive.commit(Batch({name: [RawDelta(start, data)]}, [update]))


def held(archive: Archive, name: str) -> bytes:
    return b"".join(archive.sources.raw(name))


def run(archive: Archive, budget: int = pack.BUDGET, now: float = NOW) -> pack.Packed:
    return pack.pack_old(archive.backend, budget=budget, now=now)


def test_packed_raw_and_turns_read_as_before_and_take_less(root: Path) -> None:
    data = written(1_500_000)
    with Archive.open(root) as archive:
        keep(archive, "one", data)
        turns = archive.get("one").turns
        done = run(archive)
        assert (done.sources, done.raw_bytes, done.pending_bytes) == (1, len(data), 0)
        assert done.saved_bytes > 0
        assert held(archive, "one") == data
        assert archive.get("one").turns == turns
        assert archive.maintenance.verify().faults == []
        assert run(archive) == pack.Packed()


def test_what_was_said_lately_is_left_as_it_is(root: Path) -> None:
    with Archive.open(root) as archive:
        keep(archive, "new", written(400_000), at=NOW - 29 * pack.DAY)
        keep(archive, "undated source", written(400_000))
        archive.maintenance.discard("undated source")
        assert run(archive) == pack.Packed()


def test_a_year_later_it_is_packed_harder_once(root: Path) -> None:
    data = written(600_000)
    with Archive.open(root) as archive:
        keep(archive, "one", data)
        run(archive)
        later = run(archive, now=OLD + 366 * pack.DAY)
        assert later.raw_bytes == len(data)
        assert later.saved_bytes > 0
        assert run(archive, now=OLD + 500 * pack.DAY) == pack.Packed()
        assert held(archive, "one") == data


def test_a_bounded_run_is_gone_on_with(root: Path) -> None:
    names = {f"s{n}": written(6_000_000 + n, n) for n in range(3)}
    with Archive.open(root) as archive:
        for name, data in names.items():
            keep(archive, name, data)
        left, runs = 1, 0
        while left:
            done = run(archive, budget=1)
            assert 0 < done.raw_bytes <= 2 * pack._STEP
            left, runs = done.pending_bytes, runs + 1
        assert runs == 6  # each of the three in two steps
        assert run(archive) == pack.Packed()
        assert {name: held(archive, name) for name in names} == names
        assert archive.maintenance.verify().faults == []


def test_what_is_added_later_is_packed_later(root: Path) -> None:
    first, second = written(700_000), written(900_000, 2)
    with Archive.open(root) as archive:
        keep(archive, "one", first)
        run(archive)
        keep(archive, "one", second, start=len(first))
        assert held(archive, "one") == first + second
        done = run(archive)
        assert len(second) <= done.raw_bytes < len(first + second)
        assert held(archive, "one") == first + second
        assert archive.maintenance.verify().faults == []


def test_writings_that_lean_on_each_other_stay_readable(root: Path) -> None:
    writings = [written(600_000, 1)]
    for n in range(1, 5):
        writings.append(writings[-1][:300_000] + written(300_000 + 1_000 * n, n))
    with Archive.open(root) as archive:
        keep(archive, "one", writings[0])
        for data in writings[1:]:
            archive.commit(Batch({"one": [RawDelta(0, data, reset=True)]}))
        assert run(archive).saved_bytes > 0
        for generation, data in enumerate(writings):
            assert b"".join(archive.sources.raw("one", generation)) == data
        assert archive.maintenance.verify().faults == []
        assert run(archive) == pack.Packed()


def test_a_source_that_changes_while_it_is_compressed_is_left_to_the_next_run(root: Path) -> None:
    data, more = written(600_000), written(50_000, 9)
    with Archive.open(root) as archive:
        keep(archive, "one", data)
        read = archive.backend.read(
            partial(pack._exchanges, key="one", extent=PackedExtent(9, 0, 0))
        )
        assert read is not None
        exchanges, reached, _ = read
        keep(archive, "one", more, start=len(data))  # the last chunk is written anew with it
        apply = partial(pack._apply, key="one", exchanges=exchanges, reached=reached)
        assert archive.backend.write(apply) is None
        assert held(archive, "one") == data + more
        assert run(archive).raw_bytes == len(data + more)


def test_what_a_mask_wrote_anew_is_packed_anew(root: Path) -> None:
    data = written(600_000)
    with Archive.open(root) as archive:
        keep(archive, "one", data)
        run(archive)
        archive.maintenance.mask_source("one", MaskChain(()))
        assert run(archive).raw_bytes == len(data)
        assert held(archive, "one") == data


def test_what_does_not_get_smaller_stays(root: Path) -> None:
    data = random.Random(1).randbytes(100_000)
    with Archive.open(root) as archive:
        archive.commit(
            Batch(
                {"one": [RawDelta(0, data)]},
                [TurnUpdate(Conversation(id="one", agent="x"), 0, [_turn()], "one")],
            )
        )
        assert run(archive).saved_bytes == 0
        assert held(archive, "one") == data
        assert run(archive) == pack.Packed()


def _turn() -> Turn:
    return Turn(role=Role.USER, parts=(Text("hello"),), at=OLD)


def test_a_server_is_left_to_pack_itself(archive: Archive) -> None:
    keep(archive, "one", written(400_000))
    packed = run(archive).raw_bytes
    assert packed == (0 if archive.name.startswith("postgresql") else len(written(400_000)))
    assert held(archive, "one") == written(400_000)
