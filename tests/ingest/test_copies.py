"""Copies of one session, wherever they lie: all of what they hold, once, whichever is read last."""

import json
import shutil
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.reparse import reparse
from dejavu.ingest.sync import sync_homes
from dejavu.providers import Home


def append(path: Path, text: str) -> None:
    record = {"type": "user", "uuid": text, "message": {"role": "user", "content": text}}
    with path.open("a") as file:
        file.write(json.dumps({**record, "sessionId": "s1"}) + "\n")


def texts(archive: Archive) -> list[str]:
    (summary,) = archive.scan()
    return [turn.text for turn in archive.get(summary.id).turns if turn.role == "user"]


@pytest.mark.parametrize("name", ["a-copy", "z-copy"])
@pytest.mark.parametrize("together", [True, False])
def test_an_older_copy_takes_nothing_away(
    name: str, together: bool, home: Path, tmp_path: Path
) -> None:
    path = claude_session(home, "one")
    copy = path.with_name(f"{name}.jsonl")
    shutil.copy(path, copy)
    append(path, "two")
    with Archive.open(tmp_path / "archive") as archive:
        if not together:
            copy.rename(tmp_path / "aside")
            sync_homes(archive, [Home(home, {})])
            (tmp_path / "aside").rename(copy)
        for _ in range(2):
            sync_homes(archive, [Home(home, {})])
            assert texts(archive) == ["one", "two"]
        append(copy, "three")
        append(path, "four")
        sync_homes(archive, [Home(home, {})])
        assert sorted(texts(archive)) == ["four", "one", "three", "two"]
        assert archive.verify().clean
        for _ in range(2):
            assert reparse(archive).changed == set()
        assert sorted(texts(archive)) == ["four", "one", "three", "two"]
