from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.providers import Home
from dejavu.providers.claude.files import ClaudeParser


def test_every_home_is_read_and_counted(home: Path, tmp_path: Path) -> None:
    claude_session(home, "one")
    box = tmp_path / "box"
    claude_session(box, "two", "three", name="s2")
    seen: list[str] = []
    with Archive.open(tmp_path / "archive") as archive:
        homes = [Home.own(), Home(box, {}, "box")]
        report = sync_homes(archive, homes, progress=lambda source, _: seen.append(source.instance))
        assert (report.sources, report.read, len(report.conversations)) == (2, 2, 2)
        assert sorted(seen) == ["box", "local"]
        heads = {head.instance: head for head in archive.scan()}
        assert heads["box"].turn_count == 4
        assert heads["box"].captured_at is not None


def test_raw_is_kept_to_the_byte(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one")
    with path.open("ab") as file:
        file.write(b'{"type":"from-the-future","x":"\xff"}\n')
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_homes(archive, [Home.own()])
        (head,) = archive.scan()
        (key,) = archive.sources.of(head.id)
        assert b"".join(archive.sources.raw(key)) == path.read_bytes()
    assert sum(report.drift.values()) >= 1


def test_a_torn_tail_waits_for_its_end(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one", "two")
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        (head,) = archive.scan()
        assert head.turn_count == 3
        path.write_bytes(whole)
        sync_homes(archive, [Home.own()])
        assert archive.get(head.id).turn_count == 4


def test_a_parser_of_another_age_reads_our_raw_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home.own()])
        monkeypatch.setattr(ClaudeParser, "version", ClaudeParser.version + 1)
        claude_session(home, "one", "two")
        report = sync_homes(archive, [Home.own()])
        (head,) = archive.scan()
        turns = archive.get(head.id).turns
        assert [turn.text for turn in turns] == ["one", "re: one", "two", "re: two"]
        assert report.bytes < path.stat().st_size


def test_one_agent_only(home: Path, tmp_path: Path) -> None:
    claude_session(home, "one")
    with Archive.open(tmp_path / "archive") as archive:
        assert sync_homes(archive, [Home.own()], agent="amp").sources == 0
