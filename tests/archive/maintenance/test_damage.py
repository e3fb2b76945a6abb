"""A bit flipped anywhere that `list`, `show` or `search` can see is reported, and never shown."""

import os
import random
import shutil
import struct
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.drills.bit_flips import FlippedArchive, bits, fill, flip, in_child, verified, visible

from dejavu.archive import Archive
from dejavu.archive.backends.transaction import Writer
from dejavu.archive.maintenance import repair
from dejavu.archive.maintenance.salvage import salvage
from dejavu.model import Conversation, CorruptArchiveError, Role, Text, Turn


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("whole") / "archive"
    code, result = in_child(fill, root)  # tantivy's threads must not be forked
    assert (code, result) == (0, None)
    return root


@pytest.mark.fault("1.6")
def test_a_flipped_bit_is_reported_and_never_shown(whole: Path, tmp_path: Path) -> None:
    archive = FlippedArchive(whole, tmp_path)
    rounds = islice(bits(whole / "data.mdb", random.Random(20261122)), 30)
    results = {bit: archive.problem(bit) for bit in rounds}
    assert {bit: problem for bit, (_, problem) in results.items() if problem} == {}
    assert any(seen for seen, _ in results.values())


@pytest.mark.fault("1.6")
def test_a_zeroed_block_does_not_take_verify_down(whole: Path, tmp_path: Path) -> None:
    """Sixteen pages of zeros wherever they fall: LMDB aborts the process that reads them."""
    size = (whole / "data.mdb").stat().st_size
    deaths = 0
    for number in range(8):
        root = tmp_path / f"zeroed{number}"
        shutil.copytree(whole, root)
        with (root / "data.mdb").open("r+b") as data:
            data.seek(8192 + (size - 8192) * number // 8 // 4096 * 4096)
            data.write(bytes(65_536))
        died, _ = in_child(visible, root)
        deaths += died != 0
        code, report = in_child(verified, root)
        assert code == 0
        assert isinstance(report, str) or report.faults
    assert deaths


def damage_value(root: Path, needle: bytes) -> None:
    """Flip a bit of the live copy of a value."""
    file = root / "data.mdb"
    text = file.read_bytes()
    place = text.rindex(needle)
    flip(file, 8 * place)


def summary_json(root: Path, conversation: str) -> bytes:
    with Archive.open(root) as archive:
        value = archive.backend.read(lambda txn: txn.stored("summaries", conversation.encode()))
    assert value is not None
    return value


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    root = tmp_path / "archive"
    shutil.copytree(whole, root)
    return root


def test_a_damaged_title_is_refused_by_name(copied: Path) -> None:
    stored = summary_json(copied, "c007")
    damage_value(copied, stored[stored.index(b"About") :])
    with Archive.open(copied) as archive:
        for look in (archive.get, archive.summary, lambda _: list(archive.scan())):
            with pytest.raises(CorruptArchiveError, match=r"conversation c007: .*checksum"):
                look("c007")
        report = archive.maintenance.verify()
    assert report.damaged == {"c007": "reparse"}
    assert any("'c007'" in fault for fault in report.faults)


def test_what_a_repair_keeps_and_leaves_out(copied: Path) -> None:
    """c007 can be parsed again; of the screen's conversation the turns are left."""
    with Archive.open(copied) as archive:
        archive.namespace("sources").put(b"/home/dev/7.jsonl", b"\x80")
        before = {one.id: archive.get(one.id) for one in archive.scan()}
        log_end = list(archive.log())[-1].sequence
    for name in ("c007", "screen"):
        stored = summary_json(copied, name)
        damage_value(copied, stored[8:])
    result = repair.repair(copied, parseable="sources", is_readable=lambda _: False)
    assert result.sources == ("/home/dev/7.jsonl",)
    assert result.report.damaged == {"c007": "reparse", "screen": "restore"}
    assert result.salvaged == {"screen": None}
    assert isinstance(result.aside, Path)
    assert result.aside.is_dir()
    with Archive.open(copied) as archive:
        assert archive.maintenance.verify().faults == []
        for name, conversation in before.items():
            if name not in result.report.damaged:
                assert archive.get(name) == conversation
        assert b"".join(archive.sources.raw("/home/dev/7.jsonl"))
        assert archive.namespace("memories").get(b"m1") == b"\xa5hello"
        assert archive.get("screen").agent == "unknown"
        assert archive.get("screen").turns == before["screen"].turns
        entries = list(archive.log())
        assert entries[0].sequence == log_end + 1
        assert {entry.conversation for entry in entries} == set(before) - {"c007"}


def test_of_a_conversation_without_raw_the_readable_turns_are_kept(root: Path) -> None:
    turns = tuple(Turn(role=Role.USER, parts=(Text(f"turn {n}"),)) for n in range(200))
    with Archive.open(root) as archive:
        archive.put(Conversation(id="long", agent="a", title="Long").with_turns(turns))
        archive.namespace("memories").put(b"m1", b"\xa5hello")

        def damage(txn: Writer) -> None:
            key = list(txn.keys("turns"))[1]
            txn.put_stored("turns", key, (txn.stored("turns", key) or b"")[:-1] + b"?")
            name = next(txn.keys("namespaces"))
            txn.put_stored("namespaces", name, b"?")

        archive.backend.write(damage)
        assert archive.maintenance.verify().damaged == {"long": "restore"}
    result = repair.repair(root, parseable="sources", is_readable=lambda _: False)
    assert result.lost == ["memories: m1"]
    with Archive.open(root) as archive:
        assert archive.maintenance.verify().faults == []
        assert list(archive.namespace("memories").items()) == []
        texts = [turn.text for turn in archive.get("long").turns]
        lost = 200 - (len(texts) - (len(texts) < 200))
        assert texts[:64] == [f"turn {n}" for n in range(64)]
        assert texts[-72:] == [f"turn {n}" for n in range(128, 200)]
        assert "could not be read: the archive was damaged" in texts[64]
        assert result.salvaged["long"] in (lost, None)


@pytest.mark.parametrize("left", [0, 100, 9_000, 100_000])
def test_a_file_that_was_cut_short_is_moved_aside(left: int, copied: Path) -> None:
    os.truncate(copied / "data.mdb", left)
    with pytest.raises(CorruptArchiveError, match="verify --repair"):
        Archive.open(copied)
    result = repair.repair(copied, parseable="sources", is_readable=lambda _: False)
    assert isinstance(result.aside, Path)
    assert (result.aside / "data.mdb").stat().st_size == left
    with Archive.open(copied) as archive:
        assert archive.maintenance.verify().faults == []


def test_a_repair_of_pages_keeps_what_stands_outside_them(copied: Path) -> None:
    """A leaf of turns is gone: its conversations are named, all others read as before."""
    with Archive.open(copied) as archive:
        for number in range(60):
            archive.namespace("sources").put(b"/home/dev/%d.jsonl" % number, b"\x80")
        before = {one.id: archive.get(one.id) for one in archive.scan()}
        leaf = _leaf_of(copied, b"T")
    with (copied / "data.mdb").open("r+b") as data:
        data.seek(4096 * leaf)
        data.write(bytes(4096))
    result = repair.repair(copied, parseable="sources", is_readable=lambda _: False)
    lost = set(result.report.damaged)
    assert lost
    assert any(f"page {leaf}" in fault for fault in result.report.faults)
    with Archive.open(copied) as archive:
        assert archive.maintenance.verify().faults == []
        assert {one.id for one in archive.scan()} == set(before) - lost
        assert all(archive.get(name) == before[name] for name in set(before) - lost)


def test_a_whole_archive_is_not_touched_by_a_repair(copied: Path) -> None:
    identity = (copied / "data.mdb").stat().st_ino
    result = repair.repair(copied, parseable="sources", is_readable=lambda _: False)
    assert result.report.clean
    assert result.aside is None
    assert (copied / "data.mdb").stat().st_ino == identity


def _leaf_of(root: Path, table: bytes) -> int:
    """The number of a leaf page all of whose keys are of one table, by its bytes."""
    data = (root / "data.mdb").read_bytes()
    with Archive.open(root) as archive:
        live: set[int] = set()

        def walk(txn: Any, number: int) -> None:
            page = data[4096 * number : 4096 * (number + 1)]
            _, _, flags, lower, _ = struct.unpack_from("=QHHHH", page)
            for pointer in struct.unpack_from(f"={(lower - 16) // 2}H", page, 16):
                low, high, top, _ = struct.unpack_from("=HHHH", page, pointer)
                if flags == 1:
                    walk(txn, low | high << 16 | top << 32)
                elif page[pointer + 8 : pointer + 9] == table:
                    live.add(number)
                else:
                    other.add(number)

        other: set[int] = set()
        archive.backend.inspect(lambda txn: walk(txn, txn.root.root))  # type: ignore[attr-defined]
    return min(live - other)


def zero_pages(root: Path, first: int, count: int) -> None:
    with (root / "data.mdb").open("r+b") as data:
        data.seek(4096 * first)
        data.write(bytes(4096 * count))


@pytest.mark.parametrize("lost", ["root", "metas"])
@pytest.mark.fault("1.6")
def test_without_what_leads_to_the_leaves_they_are_found_in_the_file(
    lost: str, copied: Path
) -> None:
    with Archive.open(copied) as archive:
        before = {one.id: archive.get(one.id) for one in archive.scan()}
        root = archive.backend.inspect(lambda txn: txn.root.root)  # type: ignore[attr-defined]
    zero_pages(copied, *((root, 1) if lost == "root" else (0, 2)))
    result = repair.repair(copied, parseable="sources", is_readable=lambda _: False)
    assert any("the tree cannot be followed" in fault for fault in result.report.faults)
    assert (result.report.damaged, result.salvaged, result.lost) == ({}, {}, [])
    with Archive.open(copied) as archive:
        assert archive.maintenance.verify().faults == []
        assert {one.id: archive.get(one.id) for one in archive.scan()} == before
        assert archive.namespace("memories").get(b"m1") == b"\xa5hello"


def test_of_a_file_cut_in_half_what_is_left_is_kept(copied: Path) -> None:
    with Archive.open(copied) as archive:
        before = {one.id: archive.get(one.id) for one in archive.scan()}
    os.truncate(copied / "data.mdb", (copied / "data.mdb").stat().st_size // 2)
    result = repair.repair(copied, parseable="sources", is_readable=lambda _: False)
    with Archive.open(copied) as archive:
        assert archive.maintenance.verify().faults == []
        there = {one.id: archive.get(one.id) for one in archive.scan()}
    assert len(there) > len(before) // 5
    assert set(before) - set(there) <= set(result.report.damaged) or result.turns is None
    for name, conversation in there.items():
        texts = {turn.text for turn in before[name].turns}
        assert all(turn.meta.get("damaged") or turn.text in texts for turn in conversation.turns)


def test_a_file_with_nothing_of_ours_begins_anew(copied: Path) -> None:
    zero_pages(copied, 0, (copied / "data.mdb").stat().st_size // 4096)
    result = repair.repair(copied, parseable="sources", is_readable=lambda _: False)
    assert "no page of the file holds a record" in result.report.faults[0]
    with Archive.open(copied) as archive:
        assert list(archive.scan()) == []


@pytest.mark.parametrize("table", ["turns", "raw", "links", "numbers", "order", "log", "states"])
def test_a_key_that_is_none_of_ours_is_reported_and_left_out(table: str, copied: Path) -> None:
    with Archive.open(copied) as archive:
        before = {summary.id: archive.get(summary.id) for summary in archive.scan()}
        archive.backend.write(lambda txn: txn.put(table, b"sc", b"?"))
        assert any("is of no record" in fault for fault in archive.maintenance.verify().faults)
    repair.repair(copied, parseable="none", is_readable=lambda _: False)
    with Archive.open(copied) as archive:
        assert archive.maintenance.verify().clean
        assert {summary.id: archive.get(summary.id) for summary in archive.scan()} == before


@pytest.mark.parametrize("identity", ["", "nmhezljiula7f6hn\0number", "a" * 481])
def test_of_a_damaged_key_that_is_no_id_nothing_is_salvaged(identity: str, root: Path) -> None:
    with Archive.open(root) as archive:
        assert archive.backend.read(lambda txn: salvage(txn, identity)) is None
