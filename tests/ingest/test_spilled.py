"""1.18: outputs that an agent put into files of their own are read, kept, and read again from there."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.model import ToolCallResponse

WHOLE = "".join(f"{number}\n" for number in range(1, 40_001))
SHOWN = (
    "<persisted-output>\nOutput too large (223.5KB). Full output saved to: {}\n\n"
    "Preview (first 2KB):\n1\n2\n"
)


def spilled(home: Path, told: str, name: str = "b1.txt") -> Path:
    """A session whose last result is in `name`; the log tells the path `told`."""
    path = claude_session(home, "one")
    folder = path.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / name).write_text(WHOLE)
    block = {"type": "tool_result", "tool_use_id": "t1", "content": SHOWN.format(told)}
    record = {"type": "user", "uuid": "r1", "message": {"role": "user", "content": [block]}}
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")
    return path


def results(archive: Archive) -> list[object]:
    (summary,) = archive.scan()
    parts = [part for turn in archive.get(summary.id).turns for part in turn.parts]
    return [part.response for part in parts if isinstance(part, ToolCallResponse)]


@pytest.mark.parametrize(
    "told", ["/elsewhere/s1/tool-results/b1.txt", r"C:\Users\x\.claude\s1\tool-results\b1.txt"]
)
@pytest.mark.fault("1.18")
def test_a_spilled_output_is_read_and_kept_with_its_session(
    told: str, home: Path, dejavu: Callable[..., Result], tmp_path: Path
) -> None:
    path = spilled(home, told)
    dejavu("sync")
    with open_archive() as archive:
        assert results(archive) == [WHOLE]
        (summary,) = archive.scan()
        assert len(archive.sources.of(summary.id)) == 2
    log = path.read_bytes()
    shutil.rmtree(path.parent)
    report = dejavu("reparse", "--json").json
    assert (report["changed"], report["failed"]) == ([], [])
    copy = tmp_path / "copy"
    assert dejavu("export", summary.id, "--format", "raw", "-o", str(copy)).code == 0
    assert copy.read_bytes() == log
    assert "39999" in dejavu("search", "--exact", "39999\n40000").out
    assert dejavu("verify").code == 0


def test_what_is_deleted_is_deleted_with_its_spilled_outputs(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    spilled(home, "/s1/tool-results/b1.txt")
    dejavu("sync")
    with open_archive() as archive:
        (summary,) = archive.scan()
        keys = archive.sources.of(summary.id)
    assert dejavu("prune", "--before", "2100-01-01", "--yes").code == 0
    with open_archive() as archive:
        assert len(keys) == 2
        assert [b"".join(archive.sources.raw(key)) for key in keys] == [b"", b""]


@pytest.mark.parametrize(
    "name", ["../../secret.txt", "missing.txt", "..", "b1.txt/../../../secret.txt"]
)
def test_only_files_of_the_sessions_own_folder_are_read(
    name: str, home: Path, dejavu: Callable[..., Result]
) -> None:
    path = spilled(home, f"/s1/tool-results/{name}")
    (path.parent / "secret.txt").write_text("secret")
    dejavu("sync")
    with open_archive() as archive:
        assert results(archive) == [SHOWN.format(f"/s1/tool-results/{name}")]


def test_a_link_is_not_followed(home: Path, dejavu: Callable[..., Result]) -> None:
    path = spilled(home, "/s1/tool-results/b1.txt")
    spill = path.with_suffix("") / "tool-results" / "b1.txt"
    spill.rename(path.parent / "other")
    spill.symlink_to(path.parent / "other")
    dejavu("sync")
    with open_archive() as archive:
        assert results(archive) == [SHOWN.format("/s1/tool-results/b1.txt")]


def gemini_session(home: Path, shown: str) -> Path:
    """A session whose call gave `shown`; return its project's folder."""
    project = home / ".gemini" / "tmp" / "p"
    (project / "chats").mkdir(parents=True)
    result = [{"functionResponse": {"id": "c1", "name": "sh", "response": {"output": shown}}}]
    call = {"id": "c1", "name": "sh", "args": {}, "status": "success", "result": result}
    records = [
        {"sessionId": "g1", "startTime": "2026-03-01T10:00:00Z"},
        {"id": "a", "type": "user", "content": [{"text": "go"}]},
        {"id": "b", "type": "gemini", "content": "", "toolCalls": [call]},
    ]
    log = project / "chats" / "session-1.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    return project


GEMINI = (
    (
        "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: "
        "/elsewhere/tool-outputs/session-g1/sh_c1.txt\nOutput: 1\n\n... [9 characters omitted] ...\n2"
    ),
    "<tool_output_masked>\n1\n... [TRUNCATED] ...\n" + "2" * 5_000 + "\n\nOutput too large. Full "
    "output available at: C:\\x\\tool-outputs\\session-g1\\sh_c1.txt\n</tool_output_masked>",
)


@pytest.mark.parametrize("shown", GEMINI)
@pytest.mark.fault("1.18")
def test_geminis_spilled_output_is_read_and_kept(
    shown: str, home: Path, dejavu: Callable[..., Result]
) -> None:
    project = gemini_session(home, shown)
    folder = project / "tool-outputs" / "session-g1"
    folder.mkdir(parents=True)
    (folder / "sh_c1.txt").write_text(WHOLE)
    dejavu("sync")
    shutil.rmtree(project)
    report = dejavu("reparse", "--json").json
    assert (report["changed"], report["failed"]) == ([], [])
    with open_archive() as archive:
        assert results(archive) == [WHOLE]
    assert dejavu("verify").code == 0


def test_another_geminis_session_has_another_file_of_the_same_name(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    project = gemini_session(home, GEMINI[0])
    log = project / "chats" / "session-1.jsonl"
    (project / "chats" / "session-2.jsonl").write_text(log.read_text().replace('"g1"', '"g2"'))
    for name in ("g1", "g2"):
        (project / "tool-outputs" / f"session-{name}").mkdir(parents=True)
        (project / "tool-outputs" / f"session-{name}" / "sh_c1.txt").write_text(name)
    dejavu("sync")
    dejavu("reparse")
    with open_archive() as archive:
        outputs = {
            (summary.native_id, part.response)
            for summary in archive.scan()
            for turn in archive.get(summary.id).turns
            for part in turn.parts
            if isinstance(part, ToolCallResponse)
        }
    assert outputs == {("g1", "g1"), ("g2", "g2")}


def test_an_output_that_quotes_a_spilled_one_is_not_replaced(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    quoted = f"notes.md says: {GEMINI[0]}"
    project = gemini_session(home, quoted)
    folder = project / "tool-outputs" / "session-g1"
    folder.mkdir(parents=True)
    (folder / "sh_c1.txt").write_text(WHOLE)
    dejavu("sync")
    with open_archive() as archive:
        assert results(archive) == [quoted]


@pytest.mark.parametrize("truncated", [True, False])
@pytest.mark.fault("1.18")
def test_opencodes_spilled_output_is_read_and_kept(
    truncated: bool, home: Path, dejavu: Callable[..., Result]
) -> None:
    root = home / ".local" / "share" / "opencode"
    (root / "tool-output").mkdir(parents=True)
    (root / "tool-output" / "tool_c1").write_text(WHOLE)
    shown = f"1\n\n...39999 lines truncated...\n\nFull output saved to: {root}/tool-output/tool_c1"
    metadata = {"truncated": truncated, "outputPath": "/elsewhere/tool-output/tool_c1"}
    state = {"status": "completed", "input": {}, "output": shown, "metadata": metadata}
    part = {"type": "tool", "tool": "bash", "callID": "c1", "state": state}
    db = sqlite3.connect(root / "opencode.db")
    db.executescript(
        "CREATE TABLE session (id TEXT, directory TEXT, time_created, time_updated);"
        "CREATE TABLE message (id TEXT, session_id TEXT, time_created, data TEXT);"
        "CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);"
        "INSERT INTO session VALUES ('s', '/work', 1, 1);"
        "INSERT INTO message VALUES ('m', 's', 1, '{\"role\":\"assistant\"}');"
    )
    db.execute("INSERT INTO part VALUES ('p', 'm', ?)", [json.dumps(part)])
    db.commit()
    db.close()
    dejavu("sync")
    shutil.rmtree(root)
    report = dejavu("reparse", "--json").json
    assert (report["changed"], report["failed"]) == ([], [])
    with open_archive() as archive:
        assert results(archive) == [WHOLE if truncated else shown]
