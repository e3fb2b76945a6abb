"""The pytest plugin beside its peers, on the same five programs: vim, top, less, a curses form, Textual.

    python -m venv /tmp/peers/dejavu && /tmp/peers/dejavu/bin/pip install '.[testing]'
    python -m venv /tmp/peers/venv && /tmp/peers/venv/bin/pip install pexpect pyte pytest \
        textual pytest-textual-snapshot
    npm install --prefix /tmp/peers/node @microsoft/tui-test
    python -m benchmarks.testing.peers /tmp/peers --runs 200 [--load 2] [--only dejavu,pexpect]

Prints JSON: lines of test (of each peer's file, blank lines and comments left out), seconds a run of
all its tests (median, worst) and flakes: runs in which a test failed, and which. Each peer first writes
its golden screens, which is no run. `--load` spins so many processes beside. The seconds include the
start of each test runner.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCES = {
    "dejavu": "test_dejavu.py",
    "pexpect": "test_pexpect.py",
    "textual-snapshot": "test_textual.py",
    "tui-test": "programs.test.ts",
}
_LEFT_OUT = ("CI", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
_FAILED = re.compile(r"(?m)^(?:FAILED \S+::(\w+)|\s*(?:✘|✗|x|-)?\s*\d*\)? .*›\s*(\w+)\s*$)")


def lines_of(file: Path) -> int:
    """Lines that say something."""
    text = re.sub(r'(?s)^""".*?"""', "", file.read_text("utf-8"))
    return sum(
        bool(line.strip()) and not line.strip().startswith(("#", "//")) for line in text.split("\n")
    )


def command_of(peer: str, peers: Path, *, update: bool) -> list[str]:
    python = str(peers / "venv" / "bin" / "python")
    if peer == "tui-test":
        program = str(peers / "node" / "node_modules" / ".bin" / "tui-test")
        return [program, *(["-u"] if update else [])]
    if peer == "dejavu":
        python = str(peers / "dejavu" / "bin" / "python")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", SOURCES[peer]]
    if peer == "textual-snapshot" and update:
        command.append("--snapshot-update")
    command.append(f"--basetemp={tempfile.gettempdir()}/testing-peers-{peer}")
    return [*command, "--golden-update"] if peer == "dejavu" and update else command


def folder_of(peer: str, peers: Path, scratch: Path) -> Path:
    """A folder with the peer's tests and the programs."""
    folder = scratch / peer
    if peer == "tui-test":  # it wants its package above it, and no link
        folder = Path(tempfile.mkdtemp(prefix="tests-", dir=peers / "node"))
    folder.mkdir(exist_ok=True)
    for name in (SOURCES[peer], "menu.py", "counter.py"):
        shutil.copy(HERE / name, folder)
    (folder / "package.json").write_text('{"type": "module"}')  # what tui-test's files are
    return folder


def run(peer: str, peers: Path, folder: Path, *, update: bool = False) -> tuple[float, int, str]:
    """Seconds, exit code and output of one run."""
    environment = {k: v for k, v in os.environ.items() if k not in _LEFT_OUT}
    environment["TESTING_PYTHON"] = str(peers / "venv" / "bin" / "python")
    if update:
        environment["UPDATE"] = "1"
    began = time.monotonic()
    done = subprocess.run(
        command_of(peer, peers, update=update), cwd=folder, env=environment, text=True,
        capture_output=True, timeout=600, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return time.monotonic() - began, done.returncode, done.stdout + done.stderr


def measure(peer: str, peers: Path, runs: int, scratch: Path, seconds: float) -> dict[str, Any]:
    """Run one peer's tests again and again, for `seconds` at most."""
    folder = folder_of(peer, peers, scratch)
    _, code, output = run(peer, peers, folder, update=True)
    if code:
        return {"failed to write its golden screens": output[-1500:]}
    took: list[float] = []
    failed: Counter[str] = Counter()
    flakes, end = 0, time.monotonic() + seconds
    last = ""
    while len(took) < runs and time.monotonic() < end:
        spent, code, output = run(peer, peers, folder)
        took.append(spent)
        if code:
            flakes += 1
            last = output[-3000:]
            names = {one or other for one, other in _FAILED.findall(output)}
            failed.update(names or {"?"})
    if folder.parent != scratch:
        shutil.rmtree(folder)
    result: dict[str, Any] = {
        "lines": lines_of(HERE / SOURCES[peer]),
        "runs": len(took),
        "seconds": round(statistics.median(took), 2),
        "worst": round(max(took), 2),
        "flaky runs": flakes,
        "failed tests": dict(failed),
    }
    return result | ({"last failure": last} if last else {})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("peers", type=Path, help="the folder with venv/ and node/")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3600, help="a peer's runs take at most")
    parser.add_argument("--load", type=int, default=0, help="processes that spin beside")
    parser.add_argument("--only", default=",".join(SOURCES))
    options = parser.parse_args()
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)
    ]
    try:
        with tempfile.TemporaryDirectory() as scratch:
            results: dict[str, Any] = {"load": os.getloadavg()[0]}
            for peer in options.only.split(","):
                results[peer] = measure(
                    peer, options.peers.absolute(), options.runs, Path(scratch), options.seconds
                )
            results["load after"] = os.getloadavg()[0]
    finally:
        for process in spinning:
            process.kill()
            process.wait()
    print(json.dumps(results, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
