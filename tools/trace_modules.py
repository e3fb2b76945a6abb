"""Count the modules of ours in which code runs on three ways through the program.

    python tools/trace_modules.py

A way is a real command (or two) in a throw-away home: (1) a byte of a wrapped agent's terminal to
a turn in the archive, (2) a line of a session file to a search hit, (3) a prompt to the block put
before it, without a daemon. Every process of the command is traced (`sys.setprofile`, switched on
by a `sitecustomize`), and a module counts where one of its functions was called. The figure says
how many rooms somebody has to walk through to follow one fact; it says nothing of cost.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRACER = """
import atexit, os, sys, threading
_seen = set()
def _profile(frame, event, arg):
    if event == "call":
        name = frame.f_globals.get("__name__", "")
        if name.startswith("dejavu.") and frame.f_code.co_name != "<module>":
            _seen.add(name)
def _write():
    sys.setprofile(None)
    with open(os.environ["DEJAVU_TRACE"], "a") as file:
        file.write("".join(name + "\\n" for name in sorted(_seen)))
atexit.register(_write)
_leave = os._exit
def _exit(code):
    _write()
    _leave(code)
os._exit = _exit
_become = os.execv
def _execv(path, arguments):
    _write()
    _become(path, arguments)
os.execv = _execv
sys.setprofile(_profile)
threading.setprofile(_profile)
"""

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
    return names


def main() -> int:
    """Print the three counts, and with `-v` the modules."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "sitecustomize.py").write_text(TRACER, encoding="utf-8")
        home, trace = root / "home", root / "trace"
        home.mkdir(mode=0o700)
        env = {
            "HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color",
            "PYTHONPATH": str(root), "DEJAVU_TRACE": str(trace),
        }  # fmt: skip
        dejavu = Path(sys.executable).parent / "dejavu"
        wrapper = Path(sys.executable).parent / "dejavu-run"
        run([str(wrapper), "--screen", "--headless", "--", "demo", "--speed", "20"], env)
        counts = {"terminal byte to archived turn": modules(trace)}
        session_file(home)
        run([str(dejavu), "sync", "--agent", "claude"], env)
        found = run([str(dejavu), "search", "budget", "--json"], env)
        if "tick" not in found and "budget" not in found:
            raise SystemExit("the search found nothing: the way was not walked")
        counts["session-file line to search hit"] = modules(trace)
        payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/work/pond",
                   "prompt": "the retry budget runs dry again, what was it?"}  # fmt: skip
        block = run([str(dejavu), "hook", "inject", "--agent", "claude"], env, json.dumps(payload))
        counts["prompt to block"] = modules(trace)
        print(f"block: {len(block)} characters")
        for way, names in counts.items():
            print(f"{way}: {len(names)} modules")
            if "-v" in sys.argv[1:]:
                print("\n".join(f"    {name}" for name in names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
