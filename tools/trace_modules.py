"""Count the modules of the program in which code runs on three ways through it.

    python tools/trace_modules.py [-v]

A way is a real command (or two) in a throw-away home: (1) a byte of a wrapped agent's terminal to
a turn in the archive, (2) a line of a session file to a search hit, (3) a prompt to the block put
before it, without a daemon. Every process of the command is traced (`sys.setprofile`, switched on
in a throw-away virtual environment, for our programs start without PYTHONPATH). A module counts
where one of its functions was called; the demo agent and what is for tests do not count. The figure
says how many modules a reader walks through to follow one fact; it says nothing of cost.

`trace_modules.toml` holds the most that are allowed, and a test compares.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from pathlib import Path

TRACER = """
import atexit, os, sys, threading
_seen = set()
def _profile(frame, event, arg):
    if event == "call":
        name = frame.f_globals.get("__name__", "")
        # Bodies of modules and classes, which run when they are imported, are not optimised.
        if name.startswith("dejavu.") and frame.f_code.co_flags & 1:
            _seen.add(name)
def _write():
    sys.setprofile(None)
    with open(os.environ["DEJAVU_TRACE"], "a") as file:
        file.write("".join(name + "\\n" for name in sorted(_seen)))
_leave = os._exit
def _exit(code):
    _write()
    _leave(code)
_become = os.execv
def _execv(path, arguments):
    _write()
    _become(path, arguments)
if os.environ.get("DEJAVU_TRACE"):
    atexit.register(_write)
    os._exit, os.execv = _exit, _execv
    sys.setprofile(_profile)
    threading.setprofile(_profile)
"""

OUTSIDE = ("dejavu.testing.", "dejavu.extensions.testing.", "dejavu.interfaces.demo.")
"""What is no part of the program on its way."""
LIMITS = Path(__file__).with_suffix(".toml")

PROMPT = "Why does the retry budget run dry under load?"
ANSWER = "RetryBudget.tick is never called, so the budget is not refilled."


def run(command: list[str], env: dict[str, str], text: str | None = None) -> str:
    """Run a command to its end; return its stdout.

    Raises:
        CalledProcessError: it failed.
        TimeoutExpired: it took more than two minutes.
    """
    done = subprocess.run(
        command, env=env, input=text, capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


def session_file(home: Path) -> None:
    """Write a session of one exchange as Claude Code keeps it."""
    folder = home / ".claude" / "projects" / "-work-pond"
    folder.mkdir(parents=True)
    common = {"sessionId": "11111111-1111-4111-8111-111111111111", "cwd": "/work/pond"}
    message = {"role": "assistant", "model": "opus", "content": [{"type": "text", "text": ANSWER}]}
    lines = [
        {**common, "type": "user", "uuid": "u1", "timestamp": "2026-11-21T10:00:00Z",
         "message": {"role": "user", "content": PROMPT}},
        {**common, "type": "assistant", "uuid": "u2", "parentUuid": "u1",
         "timestamp": "2026-11-21T10:00:05Z", "message": message},
    ]  # fmt: skip
    path = folder / f"{common['sessionId']}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def modules(trace: Path) -> list[str]:
    """Return the modules noted since the last call, once no process has added any for 3 s."""
    size, deadline = -1, time.monotonic() + 60
    while time.monotonic() < deadline:  # the observer outlives the wrapper
        now = trace.stat().st_size if trace.exists() else 0
        if now == size:
            break
        size = now
        time.sleep(3)
    names = sorted(set(trace.read_text("utf-8").split())) if trace.exists() else []
    trace.unlink(missing_ok=True)
    return [name for name in names if not f"{name}.".startswith(OUTSIDE)]


def traced_python(folder: Path) -> Path:
    """Make a virtual environment of this one's packages, in which programs are traced."""
    venv.create(folder, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (site / "dejavu_trace.py").write_text(TRACER, encoding="utf-8")
    lines = ["import dejavu_trace", *(f"import site; site.addsitedir({path!r})" for path in ours)]
    (site / "dejavu_trace.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "bin" / "python"


def counted_ways(root: Path) -> dict[str, list[str]]:
    """Walk the three ways below an empty folder; return the modules of each.

    Raises:
        CalledProcessError, TimeoutExpired: a command failed.
        RuntimeError: a way was not walked to its end.
    """
    home, trace = root / "home", root / "trace"
    home.mkdir(mode=0o700)
    python = traced_python(root / "venv")
    plain = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color"}
    plain["DEJAVU_HOOK_LIMIT"] = "60"  # tracing is slow
    env = {**plain, "DEJAVU_TRACE": str(trace)}
    wrapper, dejavu = (
        [str(python), "-EP", "-m", f"dejavu.interfaces.{name}"] for name in ("run", "cli")
    )
    ways: dict[str, list[str]] = {}
    run([*wrapper, "--screen", "--headless", "--", "demo", "--speed", "20"], env)
    ways["byte_to_turn"] = modules(trace)
    session_file(home)
    run([*dejavu, "sync", "--agent", "claude"], env)
    found = run([*dejavu, "search", "budget", "--json"], env)
    ways["line_to_hit"] = modules(trace)
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/work/pond",
               "prompt": "the retry budget runs dry again, what was it?"}  # fmt: skip
    block = run([*dejavu, "hook", "inject", "--agent", "claude"], env, json.dumps(payload))
    ways["prompt_to_block"] = modules(trace)
    listed = run([*dejavu, "list", "--jsonl"], plain).splitlines()
    agents = {json.loads(line)["agent"] for line in listed}
    if not {"demo", "claude"} <= agents or "tick" not in found or "memory-context" not in block:
        raise RuntimeError(f"a way was not walked to its end: {agents}, {found!r}, {block!r}")
    return ways


def limits() -> dict[str, int]:
    """Return the most modules that each way may have."""
    return tomllib.loads(LIMITS.read_text("utf-8"))


def main() -> int:
    """Print the three counts, and with `-v` the modules; 1 where one is above its limit."""
    with tempfile.TemporaryDirectory() as scratch:
        ways = counted_ways(Path(scratch))
    allowed = limits()
    for way, names in ways.items():
        print(f"{way}: {len(names)} modules, {allowed[way]} allowed")
        if "-v" in sys.argv[1:]:
            print("\n".join(f"    {name}" for name in names))
    return int(any(len(names) > allowed[way] for way, names in ways.items()))


if __name__ == "__main__":
    sys.exit(main())
