from pathlib import Path

import pytest
from tests.surfaces.cli.test_sync import claude_session

from dejavu.archive import Archive
from dejavu.providers import Home
from dejavu.record import Role, Text, Turn, Vector
from dejavu.surfaces.reparse import reparse
from dejavu.surfaces.sync import remembered, sync_homes


def test_the_archives_own_raw_gives_the_same_turns(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one", "two")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        (before,) = (archive.get(head.id) for head in archive.scan())
        path.unlink()
        result = reparse(archive)
        assert (result.sources, result.changed, result.left) == (1, set(), [])
        assert archive.get(before.id).turns == before.turns


def test_a_better_parser_mends_old_turns(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        (head,) = archive.scan()
        good = archive.get(head.id)
        archive.put(good.with_turns((Turn(role=Role.USER, parts=(Text("misread"),)),)))
        assert reparse(archive).changed == {head.id}
        assert [turn.text for turn in archive.get(head.id).turns] == ["one", "re: one"]


def test_what_only_the_screen_saw_survives(home: Path, tmp_path: Path) -> None:
    claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        (head,) = archive.scan()
        whole = archive.get(head.id)
        late = Turn(role=Role.USER, parts=(Text("only seen"),), vector=Vector.SCREEN)
        archive.put(whole.with_turns((*whole.turns, late)))
        reparse(archive)
        assert [turn.text for turn in archive.get(head.id).turns] == ["one", "re: one", "only seen"]


def test_sources_are_remembered_when_their_files_are_gone(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own("box")])
        (key,) = archive.source_keys()
        source = remembered(archive, key)
        assert source is not None
        assert (source.agent, source.path, source.instance, source.key) == (
            "claude",
            path,
            "box",
            key,
        )
        assert remembered(archive, "nobody") is None
