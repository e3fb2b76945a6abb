"""Whatever a source raises is that source's failure: named, counted, shown, and tried again."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.ingest.source_failures import source_failures
from dejavu.ingest.sync import sync_homes
from dejavu.model import RawDelta
from dejavu.providers import PROVIDERS, Home, Source

NAME = b"caf\xe9"


def twin(home: Path, folder: bytes, name: bytes) -> Path:
    """A session beside the others, in a folder and a file of any bytes."""
    path = claude_session(home, "one", name="twin")
    target = path.parent.parent / os.fsdecode(folder)
    target.mkdir(exist_ok=True)
    moved = target / os.fsdecode(name + b".jsonl")
    path.rename(moved)
    return moved


@pytest.mark.parametrize("folder", [b"-work-x", NAME])
@pytest.mark.parametrize("name", [b"plain", NAME])
@pytest.mark.fault("1.2")
def test_names_that_are_no_utf8_are_read_like_others(
    folder: bytes, name: bytes, dejavu: Callable[..., Result], home: Path
) -> None:
    twin(home, folder, name)
    claude_session(home, "two", name="good")
    report = dejavu("sync", "--json").json
    assert (report["unreadable"], report["read"]) == ([], 2)
    assert dejavu("sync", "--json").json["read"] == 0
    assert len(dejavu("list", "--json").rows) == 2
    assert dejavu("reparse", "--json").json["failed"] == []
    assert dejavu("doctor", "--json").code in (0, 1)
    with open_archive() as archive:
        assert source_failures(archive) == []


@pytest.mark.parametrize(
    "error",
    [ValueError("x"), MemoryError(), RecursionError(), KeyError("k"), OSError(5, "I/O error"),
     UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")],
)  # fmt: skip
@pytest.mark.parametrize("method", ["follow", "parser"])
@pytest.mark.fault("1.3")
def test_a_source_that_fails_stops_no_other(
    error: Exception,
    method: str,
    dejavu: Callable[..., Result],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad, good = claude_session(home, "bad", name="bad"), claude_session(home, "good", name="good")
    assert bad != good
    honest = getattr(type(PROVIDERS["claude"]), method)

    def failing(self: object, source: Source, *given: object, **named: object) -> object:
        if source.path == bad:
            raise error
        return honest(self, source, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(type(PROVIDERS["claude"]), method, failing)
        for count in (1, 2):
            report = dejavu("sync", "--json").json
            ((failed,), read) = report["unreadable"], report["read"]
            assert (failed["path"], read) == (str(bad), 2 - count)
            with open_archive() as archive:
                (failure,) = source_failures(archive)
            assert (failure.name, failure.agent, failure.count) == (str(bad), "claude", count)
            assert failure.first <= failure.last
        assert str(bad) in json.dumps(dejavu("doctor", "--json").json)
        assert str(bad) in dejavu("sync").err
    assert dejavu("sync", "--json").json["read"] == 1
    with open_archive() as archive:
        assert source_failures(archive) == []
        assert len(list(archive.scan())) == 2


def test_a_provider_that_cannot_look_is_named_and_the_others_go_on(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, "one")
    (home / ".codex/sessions").mkdir(parents=True)  # or nobody looks
    (home / ".codex/sessions/one.jsonl").write_text("{}")

    def failing(*_: object) -> Iterator[Source]:
        raise UnicodeError("no such name")
        yield

    monkeypatch.setattr(type(PROVIDERS["codex"]), "discover", failing)
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_homes(archive, [Home.own()])
        assert ([place for place, _ in report.unreadable], report.read) == ([str(home)], 1)
        (failure,) = source_failures(archive)
        assert (failure.agent, failure.reason) == ("codex", "UnicodeError: no such name")


def test_half_a_source_that_failed_is_not_stored(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, "one", "two")
    honest = type(PROVIDERS["claude"]).follow

    def failing(self: object, source: Source, since: bytes | None = None) -> Iterator[RawDelta]:
        yield from honest(PROVIDERS["claude"], source, since)  # type: ignore[arg-type]
        raise MemoryError

    with Archive.open(tmp_path / "archive") as archive:
        with monkeypatch.context() as patch:
            patch.setattr(type(PROVIDERS["claude"]), "follow", failing)
            assert len(sync_homes(archive, [Home.own()]).unreadable) == 1
            assert list(archive.scan()) == []
        assert sync_homes(archive, [Home.own()]).read == 1
        assert archive.maintenance.verify().clean
