"""Records too long to be read whole: kept raw, shown in part, named; nothing beside them suffers."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest import ingestor
from dejavu.ingest.report import Report
from dejavu.ingest.source_failures import long_records
from dejavu.ingest.sync import sync_homes
from dejavu.model import Extension, Role
from dejavu.providers import Home
from dejavu.providers.formats.long_lines import longest_line

LONG = 9_000_000  # bytes; the tests' limit is 8 MB


@pytest.fixture(autouse=True)
def _limit(home: Path) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] - autouse
    folder = home / ".config" / "dejavu"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text("[sync]\nlongest_line = 8\n")
    longest_line.cache_clear()
    yield
    longest_line.cache_clear()


def line(name: str, text: str) -> bytes:
    """A prompt of a Claude session."""
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    record = {"type": "user", "uuid": name, "message": message}
    return json.dumps(record).encode() + b"\n"


def sync(archive: Archive, home: Path) -> Report:
    return sync_homes(archive, [Home(home, {})], agent="claude")


def raw(archive: Archive, conversation: str) -> bytes:
    (key,) = archive.sources.of(conversation)
    return b"".join(archive.sources.raw(key))


def only(archive: Archive) -> str:
    (summary,) = archive.scan()
    return summary.id


@pytest.mark.fault("1.5")
def test_a_long_line_is_kept_raw_and_shown_in_part(
    home: Path, tmp_path: Path, dejavu: Callable[..., Result]
) -> None:
    path = claude_session(home, "one")
    with path.open("ab") as file:
        file.write(line("long", "word " * (LONG // 5)) + line("after", "the last prompt"))
    with Archive.open(tmp_path / "archive") as archive:
        report = sync(archive, home)
        assert report.truncated == [(str(path), 1)]
        assert report.unreadable == []
        conversation = archive.get(only(archive))
        *_, long, last = conversation.turns
        assert long.role is Role.USER
        assert long.text.startswith("word word ")
        assert len(long.text) < 300_000
        assert [part.kind for part in long.parts if isinstance(part, Extension)] == [
            "claude.truncated"
        ]
        assert last.text == "the last prompt"
        assert raw(archive, conversation.id) == path.read_bytes()
        assert archive.maintenance.verify().clean
        assert [record.name for record in long_records(archive)] == [str(path)]
        assert sync(archive, home).read == 0
    report_json = dejavu("sync", "--json").json
    assert report_json["truncated"] == [{"path": str(path), "records": 1}]
    assert str(path) in dejavu("doctor").out
    assert dejavu("reparse", "--json").json["changed"] == []
    copy = tmp_path / "copy"
    assert dejavu("export", conversation.id, "--format", "raw", "-o", str(copy)).code == 0
    assert copy.read_bytes() == path.read_bytes()


def test_a_long_line_that_arrives_in_parts_is_one_turn(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where each part is committed alone, and another process reads the next one."""
    monkeypatch.setattr(ingestor, "BATCH", 1)
    path = claude_session(home, "one")
    long = line("long", "word " * (2 * LONG // 5))
    whole = path.read_bytes() + long + line("after", "the last prompt")
    start = path.stat().st_size
    with Archive.open(tmp_path / "archive") as archive:
        for end in (
            start + 100,
            start + LONG,
            start + LONG + 5_000_000,
            len(whole) - 40,
            len(whole),
        ):
            path.write_bytes(whole[:end])
            sync(archive, home)
        conversation = archive.get(only(archive))
        assert raw(archive, conversation.id) == whole
    with Archive.open(tmp_path / "other") as archive:
        sync(archive, home)
        assert archive.get(only(archive)).turns == conversation.turns
    assert conversation.turns[-1].text == "the last prompt"
    assert conversation.turns[-2].text.startswith("word word ")


@pytest.mark.fault("1.5")
def test_a_sparse_file_costs_its_source_nothing_but_room(home: Path, tmp_path: Path) -> None:
    path = claude_session(home, "one")
    with path.open("ab") as file:
        file.truncate(file.tell() + 50_000_000)
    other = claude_session(home, "two", name="good")
    with Archive.open(tmp_path / "archive") as archive:
        report = sync(archive, home)
        assert (report.truncated, report.unreadable) == ([(str(path), 1)], [])
        assert report.bytes == path.stat().st_size + other.stat().st_size
        assert archive.maintenance.verify().clean


def gemini_document(home: Path, size: int) -> Path:
    path = home / ".gemini" / "tmp" / "p" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    messages = [
        {"id": f"m{number}", "type": "user", "content": f"{number} " + "word " * 20_000}
        for number in range(size // 100_000)
    ]
    path.write_text(json.dumps({"sessionId": "s", "messages": messages}))
    return path


def test_a_document_too_long_is_kept_raw_and_read_in_part(home: Path, tmp_path: Path) -> None:
    path = gemini_document(home, LONG)
    with Archive.open(tmp_path / "archive") as archive:
        for _ in range(2):
            report = sync_homes(archive, [Home(home, {})], agent="gemini")
            assert report.unreadable == []
        conversation = archive.get(only(archive))
        assert conversation.turns[0].text.startswith("0 word")
        assert 0 < len(conversation.turns) < 10
        assert raw(archive, conversation.id) == path.read_bytes()


def test_a_document_that_grows_too_long_keeps_what_was_archived(home: Path, tmp_path: Path) -> None:
    path = gemini_document(home, LONG // 3)
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home(home, {})], agent="gemini")
        before = archive.get(only(archive)).turns
        assert len(before) == LONG // 3 // 100_000
        gemini_document(home, LONG)
        report = sync_homes(archive, [Home(home, {})], agent="gemini")
        assert [name for name, _ in report.unreadable] == [str(path)]
        assert "longest_line" in report.unreadable[0][1]
        assert archive.get(only(archive)).turns == before
