"""Locks between processes: who has one, who waits, and what a dead holder leaves."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.config.files import held_lock, open_lock, try_lock, unlock, wait_for_lock


def test_one_holder_at_a_time_and_sharers_together(tmp_path: Path) -> None:
    first, second = open_lock(tmp_path / "lock"), open_lock(tmp_path / "lock")
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600
    assert try_lock(first)
    assert not try_lock(second)
    assert not try_lock(second, shared=True)
    unlock(first)
    assert try_lock(first, shared=True)
    assert try_lock(second, shared=True)
    os.close(first)
    os.close(second)


def test_waiting_ends_at_the_deadline_with_growing_pauses(tmp_path: Path) -> None:
    now, pauses = 0.0, list[float]()

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        pauses.append(seconds)

    with held_lock(tmp_path / "lock") as held:
        assert held
        waiting = open_lock(tmp_path / "lock")
        assert not wait_for_lock(waiting, 1.0, longest=0.1, clock=lambda: now, sleep=sleep)
        os.close(waiting)
    assert 1.0 <= now < 1.2
    assert max(pauses) == 0.1
    assert pauses == sorted(pauses)


def test_a_killed_holder_leaves_nothing(tmp_path: Path) -> None:
    program = (
        "import sys, time; from dejavu.config.files import open_lock, try_lock;"
        "print(try_lock(open_lock(sys.argv[1])), flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with held_lock(tmp_path / "lock") as held:
            assert not held
        holder.kill()
        holder.wait(10)
        with held_lock(tmp_path / "lock", patience=5.0) as held:
            assert held


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="lock"):
        open_lock(tmp_path / "lock")
