import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from tests.factories.archive import START, Result, conversation
from tests.factories.full_disk import largest_file

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.archive.access import open_archive
from dejavu.archive.redactor import redaction_key
from dejavu.model import (
    Conversation,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    conversation_from_dict,
)


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


@pytest.mark.parametrize("form", ["md", "html"])
def test_several_into_a_folder(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path, form: str
) -> None:
    ids, folder = [one.id for one in archived[:2]], tmp_path / "out"
    assert dejavu("export", *ids, "-f", form, "-o", str(folder)).code == 0
    files = {path.stem.rpartition("-")[2] for path in folder.glob(f"*.{form}")}
    assert files == {name.rpartition("-")[2] for name in ids}
    again = dejavu("export", *ids, ids[0], "-f", form, "-o", str(folder))
    assert "0 written, 2 up to date" in again.err
    assert "-o DIR" in dejavu("export", *ids).err
    assert dejavu("export", *ids, "--all", "-o", str(folder)).code == 2
    assert dejavu("export", ids[0], ids[0]).code == 0, "one, named twice"


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


GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Xk9pQ2z7"


@pytest.fixture
def leaking(home: Path, archived: list[Conversation]) -> str:
    """A conversation with a token that was said, passed to a tool and printed by it."""
    one = conversation(
        "s-3", "claude", "/work/x", START,
        Turn(role=Role.USER, parts=(Text(f"use {GITHUB}"),), at=START),
        Turn(role=Role.ASSISTANT, parts=(ToolCall("c", "db", {"password": PASSWORD}),), at=START),
        Turn(role=Role.TOOL, parts=(ToolCallResponse("c", f"GITHUB_TOKEN={GITHUB}"),), at=START),
    )  # fmt: skip
    raw = f'{{"said":"use {GITHUB}"}}\n'.encode()
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        update = TurnUpdate(one, 0, one.turns, "claude-y")
        archive.commit(Batch(raw={"claude-y": [RawDelta(0, raw)]}, updates=[update]))
    return one.id


@pytest.mark.parametrize("form", ["md", "json", "jsonl", "html", "otel"])
def test_every_form_is_redacted_and_says_so(
    dejavu: Callable[..., Result], leaking: str, form: str
) -> None:
    result = dejavu("export", leaking, "-f", form)
    assert result.code == 0
    assert GITHUB[:14] not in result.out
    assert PASSWORD not in result.out
    assert "[redacted:github:" in result.out
    assert "github" in result.err
    assert "secrets replaced: " in result.err
    kept = dejavu("export", leaking, "-f", form, "--raw-secrets")
    assert GITHUB in kept.out
    assert "not redacted" in kept.err


def test_a_secret_is_counted_once(dejavu: Callable[..., Result], home: Path) -> None:
    one = conversation("s-4", "claude", "/work/x", START, *(
        Turn(role=Role.USER, parts=(Text(f"Step {n}: use {GITHUB} for it, please."),), at=START)
        for n in range(5)
    ))  # fmt: skip
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(one)
    for form in ("md", "json", "html"):
        assert "1 secret replaced: 1 github " in dejavu("export", one.id, "-f", form).err


def test_the_ending_of_a_file_names_the_format(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    for ending, first in (("html", "<!doctype html>"), ("json", "{"), ("txt", "# "), ("md", "# ")):
        path = tmp_path / f"out.{ending}"
        assert dejavu("export", archived[1].id, "-o", str(path)).code == 0
        assert path.read_text().startswith(first)
    path = tmp_path / "other.html"
    assert dejavu("export", archived[1].id, "-o", str(path), "-f", "md").code == 0
    assert path.read_text().startswith("# ")


def test_raw_keeps_its_bytes_and_says_what_is_in_them(
    dejavu: Callable[..., Result], leaking: str
) -> None:
    result = dejavu("export", leaking, "-f", "raw")
    assert GITHUB in result.out
    assert "nothing in them is redacted; 1 secret in them: 1 github" in result.err


@pytest.mark.parametrize("form", ["md", "html"])
def test_files_with_secrets_are_out_of_date_for_a_redacting_export(
    dejavu: Callable[..., Result], leaking: str, tmp_path: Path, form: str
) -> None:
    folder = tmp_path / "out"
    everything = ("export", "--all", "-f", form, "-o", str(folder))
    assert dejavu(*everything, "--raw-secrets").code == 0
    assert any(GITHUB in path.read_text() for path in folder.iterdir())
    assert "secrets replaced" in dejavu(*everything).err
    assert not any(GITHUB in path.read_text() for path in folder.iterdir())
    assert "3 up to date" in dejavu(*everything).err


@pytest.mark.parametrize("table", ["summaries", "turns"])
@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_all_goes_on_past_a_damaged_conversation_and_names_it(
    dejavu: Callable[..., Result],
    archived: list[Conversation],
    home: Path,
    tmp_path: Path,
    form: str,
    table: str,
) -> None:
    root = home / ".local/share/dejavu/archive"
    with Archive.open(root) as archive:
        values = archive.backend.read(lambda t: list(t.stored_items(table, b"", b"\xff" * 16)))
    value = values[0][1]
    file = root / "data.mdb"
    file.write_bytes(file.read_bytes().replace(value, value[:-1] + bytes((value[-1] ^ 1,))))
    result = dejavu("export", "--all", "-f", form, "-o", str(tmp_path / "out"))
    assert result.code == 4
    names = {path.name for path in (tmp_path / "out").iterdir()}
    whole, damaged = [], []
    for one in archived:
        (whole if f"{one.agent}-{one.id}.{form}" in names else damaged).append(one.id)
    assert (len(whole), len(damaged)) == (1, 1)
    assert f"not exported: {damaged[0]}: " in result.err
    assert whole[0] not in result.err


def test_a_place_that_cannot_be_written_is_named(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for words, reason in (
        (("last", "-o", str(tmp_path)), f"{tmp_path} is a folder"),
        (("last", "-o", str(tmp_path / "no/x.md")), f"{tmp_path / 'no'}: no such folder"),
        (("--all", "-o", str(tmp_path / "file")), f"{tmp_path / 'file'} is a file"),
    ):
        result = dejavu("export", *words)
        assert (result.code, reason in result.err) == (2, True), result.err


@pytest.mark.parametrize(
    "agent", ["../evil", "/abs/evil", "../../no/such/deep", "x\x1b[2J\nq", "..", ""]
)
def test_a_file_is_never_written_outside_of_the_folder(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path, agent: str
) -> None:
    named = msgspec.structs.replace(archived[0], id="hostile-1", agent=agent)
    with open_archive(write=True) as archive:
        archive.put(named)
    folder = tmp_path / "a/b/out"
    for form in ("md", "html"):
        assert dejavu("export", "--all", "-f", form, "-o", str(folder)).code == 0
    written = [path for path in tmp_path.rglob("*hostile-1*") if path.is_file()]
    assert {path.parent for path in written} == {folder}
    assert all(path.name.isprintable() for path in written)


def test_a_full_disk_names_the_file_and_leaves_nothing(
    archived: list[Conversation], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    redaction_key()
    with largest_file(16):  # what is started has the limit, too
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "dejavu.interfaces.cli",
                "export",
                "last",
                "-f",
                "html",
                "-o",
                page,
            ],
            capture_output=True,
        )
    assert (done.returncode, done.stdout, list(tmp_path.glob("*page*"))) == (1, b"", [])
    assert done.stderr.startswith(f"dejavu: {page}: ".encode())


def test_a_conversation_without_edits_has_no_agent_trace(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    done = dejavu("export", archived[1].id, "--format", "agent-trace")
    assert (done.code, done.out) == (3, "")
    assert f"no agent-trace of {archived[1].id}: it edited no file" in done.err


def test_at_leaves_out_what_came_later(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    whole = archived[1]
    times = [turn.at for turn in whole.turns if turn.at is not None]
    assert len(times) > 2
    when = datetime.fromtimestamp(times[1], UTC).isoformat()
    done = dejavu("export", whole.id, "--at", when, "-f", "json")
    assert conversation_from_dict(json.loads(done.out)).turns == whole.turns[:2]
    done = dejavu("export", whole.id, "--at", "1990-01-01")
    assert (done.code, "had not begun then" in done.err) == (3, True)
    assert dejavu("export", whole.id, "--at", "1d", "-f", "raw").code == 2


def test_an_ending_without_a_format_is_refused(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    done = dejavu("export", "last", "-o", str(tmp_path / "last.zip"))
    assert (done.code, ".md, .json, .jsonl, .html" in done.err) == (2, True)
    done = dejavu("export", "last", "last~1", "-o", str(tmp_path / "two.html"))
    assert (done.code, "-o DIR -f html" in done.err) == (2, True)
    assert list(tmp_path.glob("*.zip")) + list(tmp_path.glob("*.html")) == []
    assert dejavu("export", "last", "-f", "html", "-o", str(tmp_path / "last.page")).code == 0
