import subprocess
import sys
from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.archive import Batch, RawDelta, TurnUpdate
from dejavu.archive.access import open_archive
from dejavu.model import Conversation
from dejavu.recall import Recall


def test_tidying_keeps_everything(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("gc", "--json").json["orphans"] == 0
    assert dejavu("gc", "--compact").code == 0
    assert len(dejavu("list", "--json").rows) == 2
    assert dejavu("verify").code == 0


def test_the_command_ends_well_as_a_process(archived: list[Conversation]) -> None:
    """Its module has the name of one of the interpreter's own."""
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "gc"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_old_sessions_are_packed_and_it_says_so(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    data = b"".join(b'{"type":"user","words":"retry budget %d"}\n' % n for n in range(9_000))
    update = TurnUpdate(archived[0], 0, archived[0].turns, "key")
    with open_archive(write=True) as archive:
        archive.commit(Batch({"key": [RawDelta(0, data)]}, [update]))
    assert "packed" not in dejavu("gc", "--pack-after", "100000").out
    assert "packed 0.4 MB of 1 old sessions, " in dejavu("gc", "--all", "--pack-after", "0").out
    assert dejavu("gc", "--pack-after", "0", "--json").json["packed"]["raw_bytes"] == 0
    with open_archive() as archive:
        assert b"".join(archive.sources.raw("key")) == data


def test_after_compact_memory_knows_what_it_knew(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("gc", "--compact").code == 0
    with open_archive() as archive:
        assert Recall(archive).pending(1) == 0
