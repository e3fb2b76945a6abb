"""`dejavu sync --watch` beside real agents: each turn is archived within 2 s of its end."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.e2e.rigrun import BIN, Run
from tests.e2e.test_capture import answers

from dejavu.archive import Archive
from dejavu.model import ArchiveError, NotFoundError, Role

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

WITHIN = 2.0
AGENTS = ["claude", "codex", "kimi", "opencode", "gemini"]


def folded(text: str) -> str:
    """Without joiners: Gemini's first record of an answer lacks them, its next prompt mends it."""
    return text.replace("\u200d", "")


class Beside:
    """The watcher, and a reader of its archive who notes when each answer is first seen."""

    def __init__(self, home: Path, root: Path, agent: str) -> None:
        self.seen: dict[str, float] = {}
        self._root, self._agent = root, agent
        self._stop = threading.Event()
        self._reader = threading.Thread(target=self._read)
        env = {**os.environ, "DEJAVU_DATA_HOME": str(root.parent), "DEJAVU_ARCHIVE": str(root)}
        command = [str(BIN / "dejavu"), "sync", "--watch", "--home", str(home), "--agent", agent]
        with (root.parent / "watch.log").open("wb") as log:
            self._watcher = subprocess.Popen(command, env=env, stdout=log, stderr=log)
        self._reader.start()

    def _read(self) -> None:
        while not self._stop.wait(0.05):
            with (
                contextlib.suppress(NotFoundError, ArchiveError),
                Archive.open(self._root, create=False, readonly=True) as archive,
            ):
                self._look(archive)

    def _look(self, archive: Archive) -> None:
        after = 0
        while not self._stop.wait(0.05):
            moved: set[str] = set()
            for entry in archive.log(after):
                after = entry.sequence
                moved.add(entry.conversation)
            now = time.time()
            for name in moved:
                for turn in archive.turns(name):
                    if turn.role is Role.ASSISTANT:
                        for part in turn.parts:
                            self.seen.setdefault(folded(getattr(part, "content", "")), now)

    def end(self) -> None:
        """Stop both; the watcher must end by itself when asked."""
        time.sleep(WITHIN)
        self._stop.set()
        self._reader.join(30)
        assert self._watcher.poll() is None, "the watcher ended early"
        self._watcher.send_signal(signal.SIGTERM)
        assert self._watcher.wait(30) == 0

    def kill(self) -> None:
        """Leave nothing behind, however the test went."""
        self._stop.set()
        self._reader.join(30)
        if self._watcher.poll() is None:
            self._watcher.kill()
            self._watcher.wait(30)


@pytest.fixture
def watched(
    rig: Callable[..., Run], tmp_path: Path
) -> Iterator[Callable[[str], tuple[Run, Beside]]]:
    """`watched(agent)` plays the tour with a watcher beside it, from the home's first moment."""
    beside: list[Beside] = []

    def play(agent: str) -> tuple[Run, Beside]:
        base = Path(os.environ.get("DEJAVU_E2E", "/var/tmp")) / f"dv{os.getpid()}"

        def begin() -> None:
            end = time.monotonic() + 60
            while time.monotonic() < end:
                for home in base.glob(f"{agent}-tour-bare/*/*/home"):
                    beside.append(Beside(home, tmp_path / "archive", agent))
                    return
                time.sleep(0.1)

        starter = threading.Thread(target=begin)
        starter.start()
        run = rig(agent)
        starter.join()
        beside[0].end()
        return run, beside[0]

    yield play
    for one in beside:
        one.kill()


def delays(run: Run, seen: dict[str, float]) -> list[float]:
    """Seconds from the end of each turn to when all its answers stood in the archive."""
    found: list[float] = []
    for turn in run.truth["turns"]:
        replies = [reply for reply in turn.get("played", []) if "blocks" in reply]
        blocks = [block for reply in replies for block in reply["blocks"]]
        texts = [folded(block["text"]) for block in blocks if "text" in block]
        missing = [text for text in texts if text not in seen]
        assert not missing, f"never archived: {missing[0][:60]!r}"
        if texts:
            found.append(max(seen[text] for text in texts) - max(r["t1"] for r in replies))
    return found


@pytest.mark.parametrize("agent", AGENTS)
def test_each_turn_is_archived_within_2_s(
    agent: str, watched: Callable[..., tuple[Run, Beside]]
) -> None:
    run, beside = watched(agent)
    assert answers(run.truth)
    late = delays(run, beside.seen)
    line = " ".join(f"{delay:.2f}" for delay in late)
    sys.stderr.write(f"\n{agent}: {len(late)} turns, seconds until archived: {line}\n")
    assert max(late) <= WITHIN
