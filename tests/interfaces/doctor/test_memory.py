from pathlib import Path

import pytest
from tests.recall.conftest import USER, session

from dejavu.archive import Archive
from dejavu.interfaces.doctor.archive import memory
from dejavu.recall.history import embeddings, skipped
from dejavu.recall.history.index import FOLDER


def test_vectors_that_are_missing_are_counted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setattr(embeddings, "is_installed", lambda: True)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(session("one", (USER, "The boiler hums at night.")))
    (finding,) = memory()
    assert finding.subject == "sentence vectors"
    assert "1 conversation without" in finding.message


def test_what_memory_could_not_take_in_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "is_installed", lambda: False)
    assert [*memory()] == []
    root = home / ".local/share/dejavu/archive"
    Archive.open(root).close()
    assert [*memory()] == []
    (root / FOLDER).mkdir()
    try:
        [""][1]
    except IndexError as error:
        skipped.add(root / FOLDER, "abc", 7, error)
    (finding,) = memory()
    assert "1 exchanges could not be indexed" in finding.message
    assert "abc#8 IndexError in test_memory.py:" in finding.message
    assert (root / FOLDER / "skipped.txt").stat().st_mode & 0o777 == 0o600
