"""The grid against public conformance cases and against xterm.js and tmux. Exit 1 below the bar.

    python -m benchmarks.terminal.conform [--streams 100] [--seed N] [--cases-only]

Runs the tools beside the repo (../shared/tools/terminal, or under DEJAVU_SHARED): the public
cases of xterm.js, vt100-rust and libvterm, then random streams and every recording, judged where
xterm.js and tmux agree. Without the tools it says so and does nothing; the streams need node with
@xterm/headless (TERMINAL_NODE or ~/.cache/terminal-node) and tmux.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks import SHARED
from benchmarks.terminal import corpora, peers

BAR = 0.99


def run(script: Path, arguments: list[str], environment: dict[str, str]) -> list[str]:
    """What a tool prints, passed on as it comes."""
    command = [sys.executable, str(script), *arguments]
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=script.parent, env=environment
    ) as tool:
        assert tool.stdout
        for line in tool.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if tool.returncode:
        raise SystemExit(f"{script.name} failed with {tool.returncode}")
    return lines


def cases(tools: Path, environment: dict[str, str]) -> bool:
    """The public cases: 99 % of core and no exception."""
    last = run(tools / "conform.py", ["--engine", "dejavu", "-v"], environment)[-1]
    match = re.match(r"core (\d+)/(\d+) .*exceptions (\d+)", last)
    if not match:
        raise SystemExit(f"cannot read what conform.py printed: {last!r}")
    good, total, raised = map(int, match.groups())
    return good >= BAR * total and raised == 0


def streams(tools: Path, count: int, seed: int, environment: dict[str, str]) -> bool:
    """Random streams and the recordings: 99 % where the references agree, and no crash."""
    what = [f"fuzz:{kind}:{count}" for kind in ("ink", "codex", "full", "mixed")]
    what += map(str, corpora.recordings(SHARED).values())
    lines = run(tools / "oracle.py", ["--seed", str(seed), "--corpus", *what], environment)
    good = total = crashes = 0
    for line in lines:
        if match := re.search(r"engine matches +(\d+)/(\d+)", line):
            good, total = good + int(match[1]), total + int(match[2])
        if match := re.search(r"crashes (\d+)", line):
            crashes += int(match[1])
        for share in re.findall(r"ok (\d+)/(\d+)", line):
            good, total = good + int(share[0]), total + int(share[1])
    print(f"screen, cursor and history where the references agree: {good}/{total}")
    return good >= BAR * total and not crashes


def main() -> None:
    """Run what can be run here."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--streams", type=int, default=100, help="random streams of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases-only", action="store_true")
    options = parser.parse_args()
    tools = SHARED / "tools" / "terminal"
    if not tools.is_dir():
        print(f"no {tools}: nothing to conform to here (set DEJAVU_SHARED)")
        return
    node = peers.node_folder()
    environment = {**os.environ, "TERMINAL_NODE": str(node)} if node else dict(os.environ)
    passed = cases(tools, environment)
    if not options.cases_only:
        if node and shutil.which("node") and shutil.which("tmux"):
            passed &= streams(tools, options.streams, options.seed, environment)
        else:
            print("streams left out: they need tmux, node and @xterm/headless (see above)")
    raise SystemExit(0 if passed else 1)


if __name__ == "__main__":
    main()
