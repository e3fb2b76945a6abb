"""Vibe's folders of sessions: generations, chunks and a journal that amends them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dejavu.model import UnreadableSessionError
from dejavu.providers import PROVIDERS, Home
from dejavu.providers.vibe.unified_store import read_entries

from ..conftest import DATA


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session of the home, to be changed."""
    shutil.copytree(DATA / "vibe", tmp_path / "home")
    (found,) = (tmp_path / "home/.vibe/logs/session/unified").iterdir()
    return found


def ids(folder: Path) -> list[str]:
    return [json.loads(entry)["id"] for entry in read_entries(folder)]


def journal(folder: Path) -> Path:
    (path,) = (folder / "journal").iterdir()
    return path


def delta(entry: dict[str, Any]) -> str:
    operation = {"op": "replace_entry", "entry": entry}
    return json.dumps({"type": "projection_delta", "payload": {"delta": [operation]}}) + "\n"


def test_an_entry_that_is_amended_stays_in_its_place(folder: Path) -> None:
    before = ids(folder)
    entry = json.loads(read_entries(folder)[2]) | {"title": "amended"}
    with journal(folder).open("a") as file:
        file.write(delta(entry))
    assert ids(folder) == before
    assert json.loads(read_entries(folder)[2])["title"] == "amended"


def test_a_line_of_the_journal_that_is_cut_waits(folder: Path) -> None:
    whole = journal(folder).read_bytes()
    journal(folder).write_bytes(whole[:-200])
    assert b"Both ran" not in read_entries(folder)[-1]
    journal(folder).write_bytes(whole)
    assert b"Both ran" in read_entries(folder)[-1]


def test_segments_before_the_generation_are_not_read(folder: Path) -> None:
    old = delta({"id": "old", "type": "message", "role": "user", "content": []})
    (folder / "journal" / "0000000000000001.jsonl").write_text(old)
    assert "old" not in ids(folder)


def test_a_missing_chunk_is_an_error_and_a_damaged_one_is_named(folder: Path) -> None:
    (chunk,) = (folder / "chunks").iterdir()
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[:-10])
    with pytest.raises(UnreadableSessionError, match=chunk.name):
        read_entries(folder)
    chunk.unlink()
    with pytest.raises(FileNotFoundError):
        read_entries(folder)


@pytest.mark.parametrize("name", ["../..", "", "/etc", ".x"])
def test_a_pointer_leads_nowhere_else(folder: Path, name: str) -> None:
    (folder / "CURRENT").write_text(json.dumps({"generation": name}))
    with pytest.raises(UnreadableSessionError):
        read_entries(folder)


def test_what_was_said_since_is_appended(folder: Path) -> None:
    vibe = PROVIDERS["vibe"]
    home = Home(folder.parents[4], {})
    (source,) = (one for one in vibe.discover(home) if one.path.name == "CURRENT")
    (first,) = vibe.follow(source)
    assert list(vibe.follow(source, first.cursor)) == []
    entry = {
        "id": "new",
        "type": "message",
        "role": "user",
        "content": [{"type": "text", "text": "and?"}],
    }
    with journal(folder).open("a") as file:
        file.write(delta(entry))
    (second,) = vibe.follow(source, first.cursor)
    assert (second.offset, second.reset) == (len(first.data), False)
    assert json.loads(second.data) == entry
