"""`dejavu daemon`: run, asked for, told to leave."""

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from dejavu.services.daemon import instance_lock as single


def test_one_that_runs_is_found_and_told_to_leave(dejavu: Callable[..., Any]) -> None:
    assert dejavu("daemon", "--status", "--json").json == {
        "running": False, "pid": None, "without_vectors": None,
    }  # fmt: skip
    with subprocess.Popen([sys.executable, "-m", "dejavu.interfaces.cli", "daemon"]) as process:
        try:
            deadline = time.monotonic() + 30
            while single.running() != process.pid:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert str(process.pid) in dejavu("daemon", "--status").out
            assert "already" in dejavu("daemon").err
            assert dejavu("daemon", "--stop").code == 0
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_without_work_it_goes(dejavu: Callable[..., Any]) -> None:
    assert dejavu("daemon", "--idle", "0").code == 0
