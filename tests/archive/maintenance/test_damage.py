"""A bit flipped anywhere that `list`, `show` or `search` can see is reported, and never shown."""

import faulthandler
import multiprocessing
import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from dejavu.archive import Archive, Batch
from dejavu.archive.maintenance.verify import Report
from dejavu.model import (
    ArchiveError,
    Conversation,
    CorruptArchiveError,
    DejavuError,
    RawDelta,
    Role,
    Span,
    Text,
    Turn,
    TurnUpdate,
)

WORDS = (
    "ring", "buffer", "socket", "parser", "token", "budget", "retry", "cursor", "lock", "index", "page",
    "leaf",
)  # fmt: skip
CONTEXT = multiprocessing.get_context("fork")


def fill(root: Path, conversations: int = 60) -> None:
    """Some conversations with raw, one without, memories, and a search index."""
    chance = random.Random(7)
    with Archive.open(root) as archive:
        for number in range(conversations):
            turns: list[Turn] = []
            raw = b""
            for seq in range(chance.randrange(2, 9)):
                text = " ".join(chance.choices(WORDS, k=40))
                line = b'{"text":"%s"}\n' % text.encode()
                span = Span(len(raw), len(line))
                role = (Role.USER, Role.ASSISTANT)[seq % 2]
                turns.append(Turn(role=role, parts=(Text(text),), at=1e9 + number, spans=(span,)))
                raw += line
            key = f"/home/dev/{number}.jsonl"
            summary = Conversation(
                id=f"c{number:03}", agent="a", workspace="/w", title=f"About {WORDS[number % 12]}"
            )
            archive.commit(
                Batch({key: [RawDelta(0, raw)]}, [TurnUpdate(summary, 0, turns, key)], {key: b"c"})
            )
        archive.put(
            Conversation(id="screen", agent="b").with_turns(
                (Turn(role=Role.USER, parts=(Text("seen on a screen"),)),)
            )
        )
        archive.namespace("memories").put(b"m1", b"\xa5hello")
        archive.update_index()


def visible(root: Path) -> list[Any]:
    """What the commands show of an archive."""
    with Archive.open(root, create=False) as archive:
        listed = [repr(summary) for summary in archive.scan()]
        told = [repr(archive.get(summary.id)) for summary in archive.scan()]
        hits = [repr(hit) for word in WORDS[:3] for hit in archive.search(word, limit=500)]
        memories = [repr(item) for item in archive.namespace("memories").items()]
        raw = [b"".join(archive.raw(key)) for key in archive.source_keys()]
    return [listed, told, hits, memories, raw]


def verified(root: Path) -> Report | str:
    """What `dejavu verify` finds; the words of its refusal where it cannot open the archive."""
    try:
        with Archive.open(root, create=False) as archive:
            return archive.verify()
    except ArchiveError as error:
        return str(error)


def in_child(work: Callable[[Path], Any], root: Path) -> tuple[int | None, Any]:
    """(exit code, result or error) of a function run in a process of its own."""
    mine, theirs = CONTEXT.Pipe(duplex=False)
    child = CONTEXT.Process(target=_run, args=(work, root, theirs))
    child.start()
    theirs.close()
    try:
        result = mine.recv() if mine.poll(60) else None
    except EOFError:
        result = None
    child.join(60)
    return child.exitcode, result


def _run(work: Callable[[Path], Any], root: Path, pipe: Connection) -> None:
    faulthandler.disable()
    with Path(os.devnull).open("w") as silent:
        os.dup2(silent.fileno(), 2)  # LMDB says there why it aborts
    try:
        pipe.send(work(root))
    except DejavuError as error:
        pipe.send(error.__class__)
    except Exception as error:
        pipe.send(f"unforeseen {error!r}")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("whole") / "archive"
    code, result = in_child(fill, root)  # tantivy's threads must not be forked
    assert (code, result) == (0, None)
    return root


def flip(file: Path, bit: int) -> None:
    with file.open("r+b") as data:
        data.seek(bit // 8)
        (value,) = data.read(1)
        data.seek(bit // 8)
        data.write(bytes((value ^ 1 << bit % 8,)))


def bits(file: Path, count: int, chance: random.Random) -> Iterator[int]:
    """Some anywhere, some in the meta pages, some in the headers of pages: those are rarer."""
    size = file.stat().st_size
    for number in range(count):
        kind = number % 3
        if kind == 0:
            yield chance.randrange(8 * size)
        elif kind == 1:
            yield 8 * (4096 * chance.randrange(2) + chance.randrange(16, 152)) + chance.randrange(8)
        else:
            page = chance.randrange(2, size // 4096)
            yield 8 * (4096 * page + chance.randrange(80)) + chance.randrange(8)


def check_flips(whole: Path, scratch: Path, count: int, seed: int) -> int:
    """Flip bits one at a time; return how many of them could be seen."""
    seen = 0
    code, before = in_child(visible, whole)
    assert code == 0
    assert len(before[0]) == 61
    shown = {text for kind in before for text in kind}
    for bit in bits(whole / "data.mdb", count, random.Random(seed)):
        root = scratch / "flipped"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(whole, root)
        flip(root / "data.mdb", bit)
        died, after = in_child(visible, root)
        if (died, after) == (0, before):
            continue
        seen += 1
        if isinstance(after, list):
            altered = [text for kind in after for text in kind if text not in shown]
            assert not altered, (bit, altered)
        code, report = in_child(verified, root)
        assert code == 0, (bit, code)
        assert isinstance(report, str) or report.faults, (bit, after, report)
    return seen


def test_a_flipped_bit_is_reported_and_never_shown(whole: Path, tmp_path: Path) -> None:
    assert check_flips(whole, tmp_path, 30, seed=20261122)


@pytest.mark.soak
def test_many_flipped_bits(whole: Path, tmp_path: Path) -> None:
    assert check_flips(whole, tmp_path, 3_000, seed=random.randrange(1 << 30)) > 300


def test_a_zeroed_block_does_not_take_verify_down(whole: Path, tmp_path: Path) -> None:
    """Sixteen pages of zeros wherever they fall: LMDB aborts the process that reads them."""
    size = (whole / "data.mdb").stat().st_size
    deaths = 0
    for number in range(4):
        root = tmp_path / f"zeroed{number}"
        shutil.copytree(whole, root)
        with (root / "data.mdb").open("r+b") as data:
            data.seek(8192 + (size - 8192) * number // 4 // 4096 * 4096)
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
        report = archive.verify()
    assert report.damaged == {"c007": "reparse"}
    assert any("'c007'" in fault for fault in report.faults)


def test_what_a_repair_keeps_and_leaves_out(copied: Path) -> None:
    """c007 can be parsed again; the screen's conversation has no raw, and stays damaged."""
    with Archive.open(copied) as archive:
        archive.namespace("sources").put(b"/home/dev/7.jsonl", b"\x80")
        before = {one.id: archive.get(one.id) for one in archive.scan()}
        log_end = list(archive.log())[-1].sequence
    for name in ("c007", "screen"):
        stored = summary_json(copied, name)
        damage_value(copied, stored[8:])
    result = Archive.repair(copied, parseable="sources")
    assert result.sources == ("/home/dev/7.jsonl",)
    assert result.report.damaged == {"c007": "reparse", "screen": "restore"}
    assert isinstance(result.aside, Path)
    assert result.aside.is_dir()
    with Archive.open(copied) as archive:
        report = archive.verify()
        assert report.damaged == {"screen": "restore"}
        for name, conversation in before.items():
            if name not in result.report.damaged:
                assert archive.get(name) == conversation
        assert b"".join(archive.raw("/home/dev/7.jsonl"))
        assert archive.namespace("memories").get(b"m1") == b"\xa5hello"
        with pytest.raises(CorruptArchiveError, match="screen"):
            archive.get("screen")
        entries = list(archive.log())
        assert entries[0].sequence == log_end + 1
        assert {entry.conversation for entry in entries} == set(before) - {"c007", "screen"}


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
    result = Archive.repair(copied, parseable="sources")
    lost = set(result.report.damaged)
    assert lost
    assert any(f"page {leaf}" in fault for fault in result.report.faults)
    with Archive.open(copied) as archive:
        assert archive.verify().faults == []
        assert {one.id for one in archive.scan()} == set(before) - lost
        assert all(archive.get(name) == before[name] for name in set(before) - lost)


def test_a_whole_archive_is_not_touched_by_a_repair(copied: Path) -> None:
    identity = (copied / "data.mdb").stat().st_ino
    result = Archive.repair(copied, parseable="sources")
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
        archive.backend.inspect(lambda txn: walk(txn, txn._root.root))  # type: ignore[attr-defined]
    return min(live - other)
