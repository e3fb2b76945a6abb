"""kill -9 of `gc` while it packs old conversations, again and again, until all is packed.

After each kill the archive is whole and every session's bytes are what they were; what was packed
stays packed, so that the runs come to an end.
"""

import random
import signal
import subprocess
import sys
from pathlib import Path

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.model import Conversation, Role, Text, Turn

OLD = 1_700_000_000.0
ROUNDS = 12
PACK = """
import sys
from dejavu.archive import Archive
from dejavu.archive.maintenance import pack
pack._STEP = 1
with Archive.open(sys.argv[1]) as archive:
    print("packing", flush=True)
    pack.pack_old(archive.backend, now=float(sys.argv[2]))
    print("packed", flush=True)
"""


def session(chance: random.Random) -> bytes:
    words = [f"word{n}" for n in range(400)]
    return "\n".join(" ".join(chance.choices(words, k=40)) for _ in range(9_000)).encode()


def test_a_killed_gc_loses_nothing_and_is_gone_on_with(tmp_path: Path) -> None:
    chance, root = random.Random(7), tmp_path / "archive"
    sessions = {f"s{n}": session(chance) for n in range(4)}
    turn = Turn(role=Role.USER, parts=(Text("hello"),), at=OLD)
    with Archive.open(root) as archive:
        for name, data in sessions.items():
            update = TurnUpdate(Conversation(id=name, agent="x"), 0, [turn], name)
            archive.commit(Batch({name: [RawDelta(0, data)]}, [update]))
    killed = 0
    for n in range(ROUNDS):
        delay = 0.005 * 2**n if n < ROUNDS - 1 else 600
        killed += not packed(root, min(delay, 0.4) if n < ROUNDS - 1 else delay)
        with Archive.open(root) as archive:
            assert archive.maintenance.verify().faults == []
            assert {name: b"".join(archive.sources.raw(name)) for name in sessions} == sessions
    assert killed
    assert packed(root, 600)
    with Archive.open(root, readonly=True) as archive:
        assert archive.backend.read(lambda txn: len(list(txn.keys("raw")))) < 32


def packed(root: Path, seconds: float) -> bool:
    """Let it pack for so long, then kill it; whether it came to its end."""
    command = [sys.executable, "-c", PACK, str(root), str(OLD + 86_400 * 100)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"packing\n"
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return b"packed" in process.stdout.read()
