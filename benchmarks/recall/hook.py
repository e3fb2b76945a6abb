"""What a prompt waits for: the injecting hook, with the daemon and without.

Takes how many prompts; gives wall and CPU milliseconds of the hook's process from start to exit,
through the launcher that agents call. `warm`: the daemon runs and has the corpus in memory. `cold`:
there is none. `bare` is `python -c pass` in the same rounds. The daemon's memory is that after them.
Every prompt is asked in a session of its own, in a throw-away home.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.recall.corpus import Question
from benchmarks.recall.score import development
from benchmarks.recall.size import memory

from dejavu.recall import Recall


def run_hook(runs: int, seed: int) -> dict[str, Any]:
    """The rounds, without a daemon and with one."""
    home = Path(tempfile.mkdtemp(prefix="dejavu-recall-"))
    os.environ["HOME"] = str(home)
    for name in [name for name in os.environ if name.startswith(("DEJAVU_", "XDG_"))]:
        del os.environ[name]
    from dejavu.config.paths import data_home
    from dejavu.integrations import launcher
    from dejavu.interfaces.hooks import capture
    from dejavu.services import hook_protocol
    from dejavu.services.daemon import instance_lock as single

    try:
        archive, questions = development(home, seed)
        with archive:
            Recall(archive).catch_up()
        data_home().mkdir(parents=True, exist_ok=True)
        (home / "archive").rename(data_home() / "archive")
        launcher.write()
        words = [str(launcher.launcher()), "hook", "inject", "--agent", "claude"]
        bare = [sys.executable, "-c", "pass"]
        told = {"cold": _rounds({"bare": bare, "hook": words}, questions[:runs], "c")}
        daemon = subprocess.Popen([sys.executable, "-P", "-m", "dejavu.services.daemon"])
        door = Path(capture.folder()) / hook_protocol.PROMPT_SOCKET
        while not door.exists():
            time.sleep(0.05)
        time.sleep(2)  # it loads what it needs before anybody asks
        told["warm"] = _rounds({"bare": bare, "hook": words}, questions[:runs], "w")
        told["daemon, MB"] = memory(daemon.pid)
        single.stop(30)
        daemon.wait()
    finally:
        single.stop()
        shutil.rmtree(home, ignore_errors=True)
    return {"prompts": runs, **told}


def _rounds(cases: dict[str, list[str]], asked: list[Question], name: str) -> dict[str, Any]:
    took: dict[str, list[tuple[float, float]]] = {case: [] for case in cases}
    given = 0
    for number, question in enumerate(asked):
        payload = {
            "session_id": f"{name}{number}", "cwd": question.workspace,
            "hook_event_name": "UserPromptSubmit", "prompt": question.prompt,
        }  # fmt: skip
        for case, argv in cases.items():
            with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
                stdin.write(json.dumps(payload).encode())
                stdin.seek(0)
                moved = [
                    (os.POSIX_SPAWN_DUP2, stdin.fileno(), 0),
                    (os.POSIX_SPAWN_DUP2, stdout.fileno(), 1),
                ]
                began = time.perf_counter()
                pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=moved)
                _, status, usage = os.wait4(pid, 0)
                wall = time.perf_counter() - began
                assert status == 0, argv
                took[case].append((wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3))
                given += bool(stdout.tell()) or os.fstat(stdout.fileno()).st_size > 0
    return {"answered": given, **{case: _quantiles(pairs) for case, pairs in took.items()}}


def _quantiles(pairs: list[tuple[float, float]]) -> dict[str, float]:
    walls, cpus = (sorted(column) for column in zip(*pairs, strict=True))
    return {
        "wall ms p50": round(statistics.median(walls), 1),
        "wall ms p95": round(walls[int(len(walls) * 0.95)], 1),
        "CPU ms p50": round(statistics.median(cpus), 1),
    }
