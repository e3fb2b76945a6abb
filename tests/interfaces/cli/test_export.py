import json
from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.model import Conversation, conversation_from_dict


def test_markdown_reads_well(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    out = dejavu("export", archived[1].id).out
    assert out.startswith("# Why does retry_budget run dry?\n")
    assert "## User" in out
    assert "**never**" in out


def test_json_and_jsonl_hold_everything(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    whole = json.loads(dejavu("export", archived[1].id, "-f", "json").out)
    assert conversation_from_dict(whole).turns == archived[1].turns
    head, *turns = dejavu("export", archived[1].id, "-f", "jsonl").out.splitlines()
    assert json.loads(head)["id"] == archived[1].id
    assert len(turns) == 4


def test_raw_is_byte_exact(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path, tmp_path: Path
) -> None:
    raw = b'{"type":"user"}\n\xff\x00not json\n'
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.commit(
            Batch(
                raw={"claude-x": [RawDelta(0, raw)]},
                updates=[TurnUpdate(archived[1], 0, archived[1].turns, "claude-x")],
            )
        )
    out = tmp_path / "raw"
    assert dejavu("export", archived[1].id, "-f", "raw", "-o", str(out)).code == 0
    assert out.read_bytes() == raw
    assert out.stat().st_mode & 0o777 == 0o600


def test_a_screen_has_no_raw(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    result = dejavu("export", archived[0].id, "-f", "raw")
    assert result.code == 3
    assert "screen" in result.err


def test_all_into_a_folder_once(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    assert dejavu("export", "--all", "-o", str(folder)).code == 0
    assert len(list(folder.glob("*.md"))) == 2
    again = dejavu("export", "--all", "-o", str(folder))
    assert "0 written, 2 up to date" in again.err


def test_what_changed_is_written_again_and_what_is_not_ours_is_left(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    mine = folder / f"{archived[0].agent}-{archived[0].id}.md"
    mine.write_text("mine")
    told = dejavu("export", "--all", "-o", str(folder)).err
    assert "1 written, 0 up to date" in told
    assert "1 existing files not replaced" in told
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        for one in archived:
            archive.put(one.with_turns((*one.turns, *one.turns)))
    assert "1 written, 0 up to date" in dejavu("export", "--all", "-o", str(folder)).err
    assert mine.read_text() == "mine"
    assert "2 written" in dejavu("export", "--all", "-o", str(folder), "--overwrite").err
    assert "0 written, 2 up to date" in dejavu("export", "--all", "-o", str(folder)).err


def test_files_are_not_overwritten_unasked(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    path = tmp_path / "x.md"
    path.write_text("mine")
    assert dejavu("export", "last", "-o", str(path)).code == 2
    assert path.read_text() == "mine"
    assert dejavu("export", "last", "-o", str(path), "--overwrite").code == 0
    assert path.read_text() != "mine"


def test_pages_are_brought_up_to_date(
    dejavu: Callable[..., Result], archived: list[Conversation], home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "pages"
    assert "2 pages written" in dejavu("export", "--all", "-f", "html", "-o", str(folder)).err
    assert "0 pages written" in dejavu("export", "--all", "-f", "html", "-o", str(folder)).err
    assert (folder / "index.html").stat().st_mode & 0o777 == 0o600
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(archived[0].with_turns((*archived[0].turns, *archived[0].turns)))
    assert "1 pages written" in dejavu("export", "--all", "-f", "html", "-o", str(folder)).err


def test_one_page_needs_nothing_else(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    out = dejavu("export", archived[1].id, "-f", "html").out
    assert out.startswith("<!doctype html>")
    assert "<script" not in out
    assert "\x1b" not in out


def test_otel_is_otlp_json(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    spans = dejavu("export", archived[1].id, "-f", "otel").json
    assert spans["resourceSpans"]
    assert dejavu("export", "last", "--endpoint", "http://127.0.0.1:9").code == 2


def test_one_or_all_but_not_both(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("export").code == 2
    assert dejavu("export", "last", "--all").code == 2
    assert dejavu("export", "--all").code == 2
