"""gc sweeps what nothing leads to, and frees the places of dead readers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from dejavu.archive import Archive
from dejavu.archive.maintenance.pack import Packed
from dejavu.model import Conversation, Role, Text, Turn

READ = """
import sys
from dejavu.archive import Archive
def look(txn):
    print("reading", flush=True)
    sys.stdin.read()
Archive.open(sys.argv[1]).backend.read(look)
"""


def test_orphans_are_swept_and_counted_anew(archive: Archive) -> None:
    archive.put(Conversation(id="a", agent="x").with_turns((Turn(role=Role.USER),)))
    archive.backend.write(lambda txn: txn.delete("summaries", b"a"))
    assert not archive.maintenance.verify().clean
    assert archive.maintenance.gc().orphans == 5  # a block, a number, three places in the orders
    assert archive.maintenance.verify().faults == []
    assert archive.counts().turns == 0
    assert archive.maintenance.gc() == (0, 0, 0, (), Packed())


def test_a_dead_reader_is_let_go(archive: Archive, root: Path) -> None:
    archive.put(Conversation(id="a", agent="x"))
    with subprocess.Popen(
        [sys.executable, "-c", READ, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        os.kill(reader.pid, signal.SIGKILL)
    assert archive.maintenance.gc().stale_readers == 1


def test_no_pruned_word_is_left_on_disk(archive: Archive, root: Path) -> None:
    secret = "xyzzyplugh4242"
    archive.put(
        Conversation(id="a", agent="x").with_turns((Turn(role=Role.USER, parts=(Text(secret),)),))
    )
    archive.put(
        Conversation(id="b", agent="x").with_turns((Turn(role=Role.USER, parts=(Text("kept"),)),))
    )
    assert len(archive.search(secret)) == 1
    archive.maintenance.prune(pattern=secret)
    archive.maintenance.gc(compact=True)
    for path in root.rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path
    assert len(archive.search("kept")) == 1


def test_one_conversation_is_discarded_and_no_other(archive: Archive) -> None:
    for name in ("one", "two"):
        turn = Turn(role=Role.USER, parts=(Text(f"say {name}"),))
        archive.put(Conversation(id=name, agent="x").with_turns((turn,)))
    assert archive.maintenance.discard("one")
    assert not archive.maintenance.discard("one")
    assert [summary.id for summary in archive.scan()] == ["two"]
    assert archive.search("one") == []
    assert archive.maintenance.verify().clean


AT_ONCE = """
import sys
from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.model import Conversation, Role, Span, Text, Turn
root, what = sys.argv[1:]
with Archive.open(root, readonly=what == "search") as archive:
    if what == "compact":
        for n in range(5):
            archive.maintenance.gc(compact=True)
            archive.maintenance.backup(f"{root}.copy{n}")
    elif what == "search":
        for _ in range(40):
            archive.search("word7")
            for conversation in archive.scan():
                found = archive.get(conversation.id)
                assert len(found.turns) == found.turn_count
    else:
        offset = 0
        for n in range(150):
            line = b'{"n":%d}\\n' % n
            spans = (Span(offset, len(line)),)
            turn = Turn(role=Role.USER, parts=(Text(f"word{n % 10}"),), spans=spans)
            update = TurnUpdate(Conversation(id=what, agent="x"), n, [turn], what)
            archive.commit(Batch({what: [RawDelta(offset, line)]}, [update]))
            offset += len(line)
"""


def test_writers_readers_and_compaction_at_once(archive: Archive, root: Path) -> None:
    """The folder is exchanged under two writers and a searching reader: nothing is lost."""
    running = [
        subprocess.Popen([sys.executable, "-c", AT_ONCE, str(root), what])
        for what in ("a", "b", "compact", "search")
    ]
    assert [child.wait() for child in running] == [0, 0, 0, 0]
    assert archive.maintenance.verify().faults == []
    assert {c.id: c.turn_count for c in archive.scan()} == {"a": 150, "b": 150}
    assert len(archive.search("word7", limit=100)) == 30
    for copy in root.parent.glob(f"{root.name}.copy*"):
        with Archive.open(copy) as opened:
            assert opened.maintenance.verify().faults == []
