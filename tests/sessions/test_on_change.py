"""The operator's command, really run: what it gets, how often, and how it is ended."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from dejavu.sessions import on_change as module
from dejavu.sessions.on_change import OnChange


def change(state: str) -> dict[str, Any]:
    return {"session": "s", "state": state}


def until(done: Any, hook: OnChange) -> None:
    end = time.monotonic() + 30
    while not done() and time.monotonic() < end:
        hook.tick(time.time())
        time.sleep(0.02)
    assert done()


def test_it_gets_the_change_and_no_terminal(tmp_path: Path) -> None:
    out, notes = tmp_path / "out", list[str]()
    hook = OnChange(f"cat > {out}; [ -t 1 ] || ps -o tty= -p $$ > {out}.tty", notes.append)
    hook.changed(change("blocked"), time.time())
    hook.close()
    assert json.loads(out.read_text()) == {"session": "s", "state": "blocked", "previous": None}
    assert Path(f"{out}.tty").read_text().strip() in ("?", "-")
    assert notes == []


def test_starting_it_takes_no_time_however_long_it_runs(tmp_path: Path) -> None:
    hook = OnChange("sleep 60", lambda _: None)
    hook.changed(change("idle"), 100.0)
    hook.changed(change("blocked"), 101.5)  # waits, in no hurry: the first one still runs
    assert hook.due is not None
    assert hook.due <= 101.5 + 0.2
    hook.tick(100.0 + module.LIMIT)
    hook.tick(100.0 + 3 * module.LIMIT)


def test_one_at_a_time_where_another_process_goes_on(tmp_path: Path) -> None:
    gate, out = tmp_path / "gate", tmp_path / "out"
    command = f"while [ ! -e {gate} ]; do sleep 0.02; done; cat >> {out}"
    hook = OnChange(command, lambda _: None)
    hook.changed(change("idle"), time.time())
    hook.moved()
    hook.changed(change("blocked"), time.time())
    hook.tick(time.time() + module.EVERY)
    gate.touch()
    until(lambda: out.exists() and len(out.read_text().splitlines()) == 2, hook)
    hook.close()
    states = [json.loads(line)["state"] for line in out.read_text().splitlines()]
    assert states == ["idle", "blocked"]


def test_what_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    pids, notes = tmp_path / "pids", list[str]()
    hook = OnChange(f"sleep 60 & echo $! $$ > {pids}; wait", notes.append)
    hook.changed(change("idle"), time.time())
    until(lambda: pids.exists() and len(pids.read_text().split()) == 2, hook)
    hook.tick(time.time() + module.LIMIT)
    assert "ended" in notes[0]
    assert hook.due is None
    for pid in map(int, pids.read_text().split()):
        end = time.monotonic() + 30
        while _runs(pid) and time.monotonic() < end:
            time.sleep(0.02)
        assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return ") Z " not in Path(f"/proc/{pid}/stat").read_text()


def test_a_storm_is_told_as_one_change_with_its_beginning_and_end(tmp_path: Path) -> None:
    out = tmp_path / "out"
    hook = OnChange(f"cat >> {out}", lambda _: None)
    for state in ("working", "idle", "working", "idle", "blocked"):
        hook.changed(change(state), time.time())
    hook.close()
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(one["previous"], one["state"]) for one in told] == [
        (None, "working"), ("working", "blocked"),
    ]  # fmt: skip


def test_there_and_back_is_no_change(tmp_path: Path) -> None:
    out = tmp_path / "out"
    hook = OnChange(f"cat >> {out}", lambda _: None)
    for state in ("idle", "working", "idle"):
        hook.changed(change(state), time.time())
    hook.close()
    assert len(out.read_text().splitlines()) == 1


@pytest.mark.parametrize("command", ["exit 3", "/nonexistent/program"])
def test_a_failure_is_noted_and_nothing_else(command: str) -> None:
    notes = list[str]()
    hook = OnChange(command, notes.append)
    hook.changed(change("idle"), time.time())
    hook.close()
    hook.tick(time.time())
    assert len(notes) == 1
    assert "exit code" in notes[0]


def test_a_command_that_reads_nothing_does_not_matter() -> None:
    notes = list[str]()
    hook = OnChange("exec <&-; exit 0", notes.append)
    hook.changed({**change("idle"), "notes": ["x" * 30_000]}, time.time())
    hook.close()
    assert notes == []
