"""Vectors are made beside the answers: newest first, niced, and a prompt never waits for them."""

import os
import time
from pathlib import Path

import pytest
from tests.recall.conftest import USER, session

from dejavu.archive import Archive
from dejavu.recall.history import minilm
from dejavu.recall.history.embeddings import pending
from dejavu.services.daemon import vector_thread
from dejavu.services.daemon.vector_thread import VectorThread


def test_without_the_extra_it_only_waits(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_thread, "_LOOK", 0.01)
    monkeypatch.setattr(minilm, "is_installed", lambda: False)
    thread = VectorThread()
    thread.start()
    time.sleep(0.1)
    assert thread.is_alive()
    thread.close()
    assert not thread.is_alive()


@pytest.mark.skipif(not minilm.is_installed(), reason="needs the semantic extra")
def test_what_is_missing_is_made(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_thread, "_LOOK", 0.01)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(session("one", (USER, "The boiler hums at night.")))
        thread = VectorThread()
        thread.start()
        deadline = time.monotonic() + 30.0
        while pending(archive) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert pending(archive) == 0
        assert thread.native_id is not None
        assert thread.model is not None
        if os.uname().sysname == "Linux":
            assert os.getpriority(os.PRIO_PROCESS, thread.model.thread) >= 10
            own = os.getpriority(os.PRIO_PROCESS, 0)
            assert (
                os.getpriority(os.PRIO_PROCESS, thread.native_id) == own
            )  # it holds Python's lock
        thread.close()
