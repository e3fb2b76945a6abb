"""One writer at a time, a bounded wait, and a message that names the holder."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dejavu.archive.backends.lock import WriterLock, wait_for_open
from dejavu.model import ArchiveLockedError

HOLD = """
import sys
from pathlib import Path
from dejavu.archive.backends.lock import WriterLock, wait_for_open
with WriterLock(Path(sys.argv[1])).hold():
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(root: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_another_process_is_named_and_its_death_frees_the_place(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path, patience=0.05)
    with holder(tmp_path) as child:
        with pytest.raises(ArchiveLockedError, match=f"process {child.pid}"), lock.hold():
            pass
        child.kill()
        child.communicate()
    with lock.hold():
        pass
    lock.close()


def test_threads_wait_for_one_another(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path, patience=0.05)
    refused: list[ArchiveLockedError] = []

    def try_it() -> None:
        try:
            with lock.hold():
                pass
        except ArchiveLockedError as error:
            refused.append(error)

    with lock.hold():
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
    assert str(os.getpid()) in str(refused[0])
    try_it()
    assert len(refused) == 1
    lock.close()


def test_a_waiter_is_not_starved_by_a_writer_in_a_loop(tmp_path: Path) -> None:
    stop = threading.Event()

    def busy() -> None:
        lock = WriterLock(tmp_path)
        while not stop.is_set():
            with lock.hold():
                stop.wait(0.002)
        lock.close()

    thread = threading.Thread(target=busy)
    thread.start()
    lock = WriterLock(tmp_path, patience=5)
    for _ in range(5):
        with lock.hold():
            pass
    stop.set()
    thread.join()
    lock.close()


def test_lock_files_are_private(tmp_path: Path) -> None:
    WriterLock(tmp_path).close()
    assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {0o600}


OPENER = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, int(sys.argv[2]), int(sys.argv[3]))
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who holds it")
@pytest.mark.parametrize(("size", "first", "waits"), [(1, 0, True), (0, 0, True), (1, 4711, False)])
def test_who_opens_is_waited_for_but_not_for_ever(
    tmp_path: Path, size: int, first: int, waits: bool
) -> None:
    path = tmp_path / "lock.mdb"
    path.touch()
    command = [sys.executable, "-c", OPENER, str(path), str(size), str(first)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        if waits:
            with pytest.raises(ArchiveLockedError, match=f"process {child.pid}"):
                wait_for_open(path, patience=0.1)
        else:  # a reader's own mark, not the lock of one that opens
            wait_for_open(path, patience=0.1)
        child.kill()
    wait_for_open(path, patience=0.1)
