"""What an import costs, counted in bytes read; what it does with a source it cannot keep."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.factories.session_files import claude_session

from dejavu.archive import Archive, Batch
from dejavu.ingest import ingestor as module
from dejavu.ingest.importer import Importer
from dejavu.ingest.sync import sync_homes
from dejavu.model import ArchiveError
from dejavu.providers import PROVIDERS, Home, RawDelta, Source


class Counted:
    """Counts the bytes that are read of files, and how often one is opened, below a folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, below: Path) -> None:
        self.bytes = self.opened = 0
        read, opened = os.pread, os.open

        def pread(descriptor: int, length: int, offset: int) -> bytes:
            data = read(descriptor, length, offset)
            if Path(f"/proc/self/fd/{descriptor}").readlink().is_relative_to(below):
                self.bytes += len(data)
            return data

        def open_(path: str | Path, *given: int, **named: int) -> int:
            self.opened += str(path).startswith(str(below))
            return opened(path, *given, **named)

        monkeypatch.setattr(os, "pread", pread)
        monkeypatch.setattr(os, "open", open_)


@pytest.mark.soak
def test_one_appended_line_of_a_large_session_reads_little(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude_session(home, "one")
    first = json.loads(path.read_text().splitlines()[0])
    with path.open("a") as file:
        for number in range(200):
            first["uuid"] = f"long-{number}"
            first["message"] = {"role": "user", "content": f"{number} " + "word " * 100_000}
            file.write(json.dumps(first) + "\n")
    assert path.stat().st_size > 100_000_000
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home(home, {})], agent="claude")
        line = json.dumps({**first, "uuid": "last", "message": {"role": "user", "content": "end"}})
        with path.open("a") as file:
            file.write(line + "\n")
        counted = Counted(monkeypatch, path.parent)
        report = sync_homes(archive, [Home(home, {})], agent="claude")
        assert report.bytes == len(line) + 1
        assert counted.opened == 1
        assert 0 < counted.bytes <= (64 << 10) + len(line) + 1
        (head,) = archive.scan()
        assert head.turn_count == 203


@pytest.mark.soak
def test_ten_thousand_unchanged_files_are_not_opened(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = claude_session(home, "one", name="s").read_text()
    folder = home / ".claude" / "projects" / "-work-x"
    for number in range(9_999):
        (folder / f"s{number}.jsonl").write_text(text.replace('"s"', f'"s{number}"'))
    with Archive.open(tmp_path / "archive") as archive:
        assert sync_homes(archive, [Home(home, {})], agent="claude").read == 10_000
        before = next(iter(archive.log()), None)
        counted = Counted(monkeypatch, home)
        report = sync_homes(archive, [Home(home, {})], agent="claude")
        assert (report.sources, report.read) == (10_000, 0)
        assert (counted.opened, counted.bytes) == (0, 0)
        assert next(iter(archive.log()), None) == before


def test_one_source_that_cannot_be_kept_does_not_stop_the_rest(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = claude_session(home, "one", name="bad")
    claude_session(home, "two", name="good")
    honest = type(PROVIDERS["claude"]).follow

    def gap(self: object, source: Source, since: bytes | None = None) -> Iterator[RawDelta]:
        for delta in honest(PROVIDERS["claude"], source, since):  # type: ignore[arg-type]
            yield RawDelta(delta.offset + 9 * (source.path == bad), delta.data, delta.cursor)

    monkeypatch.setattr(type(PROVIDERS["claude"]), "follow", gap)
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_homes(archive, [Home(home, {})], agent="claude")
        assert [path for path, _ in report.unreadable] == [str(bad)]
        assert (report.read, report.unkept, len(report.conversations)) == (1, 1, 1)
        assert [head.native_id for head in archive.scan()] == ["good"]
        with pytest.raises(ArchiveError), Importer(archive) as importer:
            importer.read(PROVIDERS["claude"], next(PROVIDERS["claude"].discover(Home(home, {}))))


def test_two_importers_of_one_source_keep_it_once(home: Path, tmp_path: Path) -> None:
    claude_session(home, "one")
    provider = PROVIDERS["claude"]
    (source,) = provider.discover(Home(home, {}))
    with Archive.open(tmp_path / "archive") as archive:
        with Importer(archive) as slow:
            with Importer(archive) as quick:
                quick.read(provider, source)
            claude_session(home, "one", "two")
            slow.read(provider, source)  # its cursor is older than the archive's
        (head,) = archive.scan()
        assert [turn.text for turn in archive.turns(head.id)] == [
            "one",
            "re: one",
            "two",
            "re: two",
        ]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("after", [False, True])
def test_failing_at_any_commit_loses_and_doubles_nothing(
    place: int, after: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails before or after what was to be kept is durable; then a sync as if new."""
    for name in ("one", "two", "three"):
        claude_session(home, *(f"{name} {number}" for number in range(40)), name=name)
    monkeypatch.setattr(module, "BATCH", 4096)
    honest, calls = Archive.commit, list[int]()

    def failing(self: Archive, batch: Batch) -> Any:
        calls.append(1)
        if len(calls) == place + 1:
            if after:
                honest(self, batch)
            raise OSError(28, "No space left on device")
        return honest(self, batch)

    homes = [Home(home, {})]
    with Archive.open(tmp_path / "archive") as archive:
        with monkeypatch.context() as patch:
            patch.setattr(Archive, "commit", failing)
            with pytest.raises(ArchiveError, match="left on device"):
                sync_homes(archive, homes, agent="claude")
        assert len(calls) == place + 1, "it failed, and went no further"
        sync_homes(archive, homes, agent="claude")
        assert archive.maintenance.verify().clean
        found = {one.native_id: archive.get(one.id).turns for one in archive.scan()}
    with Archive.open(tmp_path / "other") as archive:
        sync_homes(archive, homes, agent="claude")
        assert found == {one.native_id: archive.get(one.id).turns for one in archive.scan()}
    assert sorted(found) == ["one", "three", "two"]
