"""The last sync: what is still being written is waited for, and what stays torn is named."""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest import final_sync as module
from dejavu.ingest.final_sync import sync_final
from dejavu.providers import Home


def gemini_document(home: Path) -> Path:
    path = home / ".gemini" / "tmp" / "p" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    messages = [{"id": "1", "type": "user", "content": "one", "timestamp": "2026-11-21T10:00:00Z"}]
    path.write_text(json.dumps({"sessionId": "s", "messages": messages}))
    return path


def later(seconds: float, work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=lambda: (time.sleep(seconds), work()))
    thread.start()
    return thread


def test_a_tail_and_a_document_that_become_whole_are_waited_for(home: Path, tmp_path: Path) -> None:
    log, document = claude_session(home, "one", "two"), gemini_document(home)
    whole, text = log.read_bytes(), document.read_bytes()
    log.write_bytes(whole[:-30])
    document.write_bytes(text[:-10])
    threads = [later(0.6, lambda: log.write_bytes(whole)),
               later(0.9, lambda: document.write_bytes(text))]  # fmt: skip
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_final(archive, [Home.own()])
        assert (report.sources, report.unreadable) == (2, [])
        assert sorted(head.turn_count for head in archive.scan()) == [1, 4]
    for thread in threads:
        thread.join()


def test_what_stays_torn_is_named_and_fails(
    dejavu: Callable[..., Result], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.3)
    path = claude_session(home, "one", "two")
    path.write_bytes(path.read_bytes()[:-30])
    result = dejavu("sync", "--final")
    assert result.code == 1
    assert str(path) in result.err
    assert "half a record" in result.err
    assert dejavu("show", "last", "--json").json["turn_count"] == 3
    assert dejavu("sync").code == 0


def test_a_document_that_stays_torn_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = gemini_document(home)
    document.write_bytes(document.read_bytes()[:-10])
    monkeypatch.setattr(module, "_bound", lambda _: 0.3)
    with Archive.open(tmp_path / "archive") as archive:
        ((path, why),) = sync_final(archive, [Home.own()]).unreadable
    assert (path, "half a document" in why) == (str(document), True)


def test_a_folder_nobody_may_look_into_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude_session(home, "one")
    closed = path.parent.with_name("-closed")
    closed.mkdir()
    real = module.folders_below

    def walk(top: Path, denied: Callable[[OSError], object]) -> object:
        if closed.is_relative_to(top):
            denied(PermissionError(13, "Permission denied", str(closed)))
        return real(top)

    monkeypatch.setattr(module, "folders_below", walk)
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_final(archive, [Home.own()])
    assert (str(closed), True) in [(p, "denied" in why) for p, why in report.unreadable]


@pytest.mark.fault("1.16")
def test_a_store_that_nobody_reads_is_named(home: Path, tmp_path: Path) -> None:
    claude_session(home, "one")
    store = home / ".omnigent" / "chat.db"
    store.parent.mkdir()
    store.write_bytes(b"frogs")
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_final(archive, [Home(home, {})])
        assert report.unreadable == [
            (str(store), "history of Omnigent, kept as it is: this version does not read it")
        ]
        assert len(report.conversations) == 1
