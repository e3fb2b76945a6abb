import json
import os
from pathlib import Path

from tests.interfaces.tui.driving import browsing, run, screen, settle

from dejavu.archive import Archive


def _history(home: Path) -> None:
    folder = home / ".claude/projects/-work-x"
    folder.mkdir(parents=True)
    line = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "00000000-0000-4000-8000-000000000001",
        "cwd": "/work/x",
        "timestamp": "2026-11-01T10:00:00.000Z",
        "message": {"role": "user", "content": "Where is the kettle?"},
    }
    name = f"{line['sessionId']}.jsonl"
    (folder / name).write_text(json.dumps(line) + "\n")


def test_it_says_what_it_found_and_reads_it_on_one_key(home: Path) -> None:
    _history(home)

    async def task() -> None:
        async with browsing(home, (80, 24)) as pilot:
            await settle(pilot, lambda: "1 session" in screen(pilot.app))
            assert "claude" in screen(pilot.app)
            assert not (home / ".local/share/dejavu/archive").exists()
            await pilot.press("i")
            await settle(pilot, lambda: "Where is the" in screen(pilot.app))
            await pilot.press("enter")
            await settle(pilot, lambda: "Where is the kettle?" in screen(pilot.app))

    run(task())
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert archive.counts().conversations == 1


def test_it_says_what_will_be_deleted_and_what_is_only_kept(home: Path) -> None:
    _history(home)
    (path,) = (home / ".claude/projects/-work-x").iterdir()
    os.utime(path, (0, 0))
    cascade = home / ".codeium/windsurf/cascade"
    cascade.mkdir(parents=True)
    (cascade / "one.pb").write_bytes(b"\1")

    async def task() -> None:
        async with browsing(home, (80, 24)) as pilot:
            await settle(pilot, lambda: "windsurf" in screen(pilot.app))
            assert "it deletes its own after 30 days" in screen(pilot.app)
            assert "kept as it is, not read yet" in screen(pilot.app)

    run(task())


def test_without_any_history_it_says_how_to_begin(home: Path) -> None:
    async def task() -> None:
        async with browsing(home, (80, 24)) as pilot:
            await settle(pilot, lambda: "dejavu-run" in screen(pilot.app))
            await pilot.press("i", "escape")
            await settle(pilot, lambda: "Recent" in screen(pilot.app))

    run(task())
    assert not (home / ".local/share/dejavu/archive").exists()
