"""What a hook costs its agent, and whether a thousand at once lose anything.

    python -m benchmarks.interfaces.hooks [--runs 200] [--hooks 1000] [--abreast 16]

Processes take turns in one run: bare `python -c pass`, the launcher and the `dejavu` command with
the daemon running (`warm`), and both where there is none and none can be started (`alone`: its
lock is held, so the payload goes into the spool and stays). `guard` checks a tool's result: `clean`
(8 KB of source), with a secret (`secret`), or 256 KB (`large`). `starting` is the hook that starts the
daemon. Wall milliseconds from start to exit, and CPU milliseconds (user and system of the process
and what it waited for). Then many hooks at once, each with a prompt of its own: how many prompts
are in the archive, once each. Everything happens in a throw-away home. Prints JSON.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

COMMAND = str(Path(sys.executable).parent / "dejavu")
SESSIONS = 20


def payload(number: int, session: str) -> bytes:
    """A prompt of usual size, as Claude Code tells it."""
    return json.dumps(
        {
            "session_id": session,
            "transcript_path": f"/nowhere/{session}.jsonl",
            "cwd": "/work/project",
            "hook_event_name": "UserPromptSubmit",
            "prompt": f"prompt {number}: " + "why does the retry budget run dry? " * 8,
        }
    ).encode()


def tool_result(size: int, secret: str = "") -> bytes:
    """What a tool returned, as Claude Code hands it to a hook: source code of so many bytes."""
    source = Path(__file__).read_text("utf-8")
    text = (source * (size // len(source) + 1))[:size] + secret
    return json.dumps(
        {
            "session_id": "guard",
            "cwd": "/work/project",
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "cat file"},
            "tool_response": {"stdout": text, "stderr": "", "interrupted": False},
        }
    ).encode()


def once(argv: list[str], stdin: bytes) -> tuple[float, float]:
    """Wall and CPU milliseconds of one process."""
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        actions = [
            (os.POSIX_SPAWN_DUP2, file.fileno(), 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        ]
        began = time.perf_counter()
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - began
    assert status == 0, argv
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def interleaved(
    cases: dict[str, list[str]],
    runs: int,
    session: str,
    stdin: dict[str, bytes] | None = None,
) -> dict[str, Any]:
    """So many rounds of all cases; quantiles of each, and ratios to the first.

    stdin: what a case reads, where it is no prompt.
    """
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for number in range(runs):
        for name, argv in cases.items():
            data = (stdin or {}).get(name) or payload(number, session)
            seen[name].append(once(argv, data))
    told: dict[str, Any] = {}
    for name, pairs in seen.items():
        walls, cpus = (sorted(column) for column in zip(*pairs, strict=True))
        told[name] = {
            "wall_p50": round(statistics.median(walls), 1),
            "wall_p95": round(walls[int(len(walls) * 0.95)], 1),
            "cpu_p50": round(statistics.median(cpus), 1),
        }
    bare = told[next(iter(cases))]
    for one in told.values():
        for key in ("wall_p50", "wall_p95", "cpu_p50"):
            one[f"{key}_ratio"] = round(one[key] / bare[key], 2) if bare[key] else None
    return told


def until(done: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "the daemon does not get on"
        time.sleep(0.1)


def crowd(launcher: str, hooks: int, abreast: int, drained: Callable[[], bool]) -> dict[str, Any]:
    """Many hooks at once; how many of their prompts are in the archive."""
    from dejavu.archive.access import open_archive
    from dejavu.model import Role

    def one(number: int) -> float:
        argv = [launcher, "hook", "capture", "--agent", "claude"]
        return once(argv, payload(number, f"crowd-{number % SESSIONS}"))[0]

    began = time.perf_counter()
    with ThreadPoolExecutor(abreast) as pool:
        walls = sorted(pool.map(one, range(hooks)))
    sent = time.perf_counter() - began
    until(drained)
    time.sleep(1)
    with open_archive() as archive:
        found = Counter(
            int(turn.text.split(":")[0].removeprefix("prompt "))
            for head in archive.scan()
            if (head.native_id or "").startswith("crowd-")
            for turn in archive.turns(head.id)
            if turn.role is Role.USER
        )
    return {
        "hooks": hooks,
        "abreast": abreast,
        "seconds": round(sent, 1),
        "wall_p50": round(statistics.median(walls), 1),
        "kept": len(found),
        "lost": hooks - len(found),
        "doubled": sum(count - 1 for count in found.values()),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--hooks", type=int, default=1000)
    parser.add_argument("--abreast", type=int, default=16)
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="dejavu-hooks-"))
    os.environ["HOME"] = str(home)
    for name in [name for name in os.environ if name.startswith(("DEJAVU_", "XDG_"))]:
        del os.environ[name]

    from dejavu.config.paths import private_folder
    from dejavu.integrations import launcher
    from dejavu.interfaces.hooks import capture
    from dejavu.services.daemon import instance_lock as single
    from dejavu.services.daemon.spool import Spool

    launcher.write()
    place = private_folder(Path(capture.folder()))
    short = str(launcher.launcher())
    words = ["hook", "capture", "--agent", "claude"]
    bare = [sys.executable, "-c", "pass"]
    cases = {"bare": bare, "launcher": [short, *words], "command": [COMMAND, *words]}
    told: dict[str, Any] = {"python": sys.version.split()[0], "load": os.getloadavg()}
    try:
        lock = single._lock(place)
        assert lock is not None
        told["alone"] = interleaved(cases, options.runs, "alone")
        os.close(lock)
        starts = []
        for number in range(10):
            starts.append(once([short, *words], payload(number, "start"))[0])
            until((place / capture.SOCKET).exists)
            assert single.stop(60)
        told["starting"] = {"wall_p50": round(statistics.median(starts), 1)}
        daemon = subprocess.Popen([sys.executable, "-m", "dejavu.services.daemon"])
        until(lambda: single.running() and not Spool(place))
        told["warm"] = interleaved(cases, options.runs, "warm")
        check = [short, "hook", "guard", "--agent", "claude"]
        results = {
            "clean": tool_result(8_000),
            "secret": tool_result(8_000, "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
            "large": tool_result(256_000),
        }
        guard = {"bare": bare, **dict.fromkeys(results, check)}
        told["guard"] = interleaved(guard, options.runs, "guard", results)
        until(lambda: not Spool(place))
        told["crowd"] = crowd(short, options.hooks, options.abreast, lambda: not Spool(place))
        assert single.stop(60)
        daemon.wait()
    finally:
        single.stop()
        shutil.rmtree(home)
    print(json.dumps(told, indent=1))
    return 0 if not told["crowd"]["lost"] and not told["crowd"]["doubled"] else 1


if __name__ == "__main__":
    sys.exit(main())
