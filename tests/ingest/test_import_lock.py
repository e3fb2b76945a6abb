import threading
from pathlib import Path

import pytest

from dejavu.ingest import import_lock as module
from dejavu.ingest.import_lock import ImportLock
from dejavu.model import ArchiveLockedError


def test_one_at_a_time_with_a_bounded_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    other = ImportLock(tmp_path)
    with ImportLock(tmp_path) as lock:
        lock.claim()
        with pytest.raises(ArchiveLockedError, match="another import"):
            other.claim()
    other.claim()
    other.release()
    other.release()


def test_a_pause_lets_the_other_in(tmp_path: Path) -> None:
    order: list[str] = []

    def wait() -> None:
        with ImportLock(tmp_path):
            order.append("other")

    with ImportLock(tmp_path) as lock:
        thread = threading.Thread(target=wait)
        thread.start()
        while not order:
            lock.pause()
        order.append("again")
    thread.join()
    assert order == ["other", "again"]
