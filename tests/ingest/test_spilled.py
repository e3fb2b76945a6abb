"""1.18: outputs that an agent put into files of their own are read, kept, and read again from there."""

import json
import shutil
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
        assert len(archive.sources(summary.id)) == 2
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
        keys = archive.sources(summary.id)
    assert dejavu("prune", "--before", "2100-01-01", "--yes").code == 0
    with open_archive() as archive:
        assert len(keys) == 2
        assert [b"".join(archive.raw(key)) for key in keys] == [b"", b""]


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
