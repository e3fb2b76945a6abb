"""A first sync reads the newest sources first, says how far it is, and goes on after a break."""

import os
from pathlib import Path

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.namespace import SyncExtent, unfinished_sync
from dejavu.ingest import sync
from dejavu.ingest.report import Report
from dejavu.ingest.sync import sync_homes
from dejavu.providers import Home, Source


def _history(home: Path, ages: dict[str, float]) -> None:
    for name, written in ages.items():
        path = claude_session(home, f"prompt {name}", "x" * 300_000, name=name)
        os.utime(path, (written, written))


def test_the_newest_is_read_first_whatever_its_path(home: Path, tmp_path: Path) -> None:
    _history(home, {"b": 3e9, "a": 1.0, "d": 2e9, "c": 1e9})
    order: list[str] = []
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_homes(
            archive, [Home.own()], progress=lambda source, _: order.append(source.path.stem)
        )
    assert order == ["b", "d", "c", "a"]
    assert report.total == 4
    assert report.passed_bytes == report.unread_bytes > 600_000


def test_what_was_read_is_found_while_the_rest_is_not(home: Path, tmp_path: Path) -> None:
    _history(home, {str(number): 1e9 + number for number in range(9)})
    found: list[int] = []
    with Archive.open(tmp_path / "archive") as archive:

        def look(_source: Source, report: Report) -> None:
            if report.sources == 2:
                with Archive.open(tmp_path / "archive") as other:
                    found.append(len(other.search("prompt")))

        sync_homes(archive, [Home.own()], progress=look)
    assert found[0] > 0


def test_an_interrupted_sync_says_so_and_goes_on(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "_NOTED", 0.0)
    _history(home, {f"{number:02}": 1e9 + number for number in range(20)})

    def interrupt(_source: Source, report: Report) -> None:
        if report.sources == 9:
            raise KeyboardInterrupt

    with Archive.open(tmp_path / "archive") as archive:
        with pytest.raises(KeyboardInterrupt):
            sync_homes(archive, [Home.own()], progress=interrupt)
        extent = unfinished_sync(archive.backend)
        assert extent is not None
        assert extent.total == 20
        stored = len(list(archive.scan()))
        assert 0 < stored == extent.read < 10
        assert any("of 20 read" in note for note in archive.search("prompt").notes)
        report = sync_homes(archive, [Home.own()])
        assert (report.sources, report.read) == (20, 20 - stored)
        assert unfinished_sync(archive.backend) is None
        assert not archive.search("prompt").notes


def test_a_short_sync_keeps_no_record(home: Path, tmp_path: Path) -> None:
    _history(home, {"a": 1.0})
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(
            archive,
            [Home.own()],
            progress=lambda _source, _report: _none(unfinished_sync(archive.backend)),
        )


def _none(extent: SyncExtent | None) -> None:
    assert extent is None


def test_the_time_left_is_of_what_was_never_read() -> None:
    report = Report(sources=3, total=1_204, unread_bytes=4_000_000, passed_bytes=1_000_000)
    report.bytes = 2_000_000
    assert report.progress_text(2.0) == "3 of 1,204 read, 2.0 MB at 1.0 MB/s, 6 s left"
    assert report.progress_text(0.1) == "3 of 1,204 read, 2.0 MB"
