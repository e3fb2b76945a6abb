"""The example drives three small agents to the end; real ones are driven in tests/e2e."""

import shlex
import subprocess
import sys
from pathlib import Path

from dejavu.sessions import session_store as sessions

REPO = Path(__file__).resolve().parents[2]
AGENT = Path(__file__).with_name("fake_agent.py")
EXAMPLE = REPO / "examples" / "orchestrate.py"


def test_it_is_short() -> None:
    code = EXAMPLE.read_text().split('"""\n', 1)[1]
    assert len([line for line in code.splitlines() if line.strip()]) < 40


def test_three_agents_are_driven_to_the_end(home: Path, tmp_path: Path) -> None:
    program = tmp_path / "demo"
    log = tmp_path / "prompts"
    program.write_text(
        f"#!/bin/sh\nPYTHONPATH={REPO}/src PROMPTS={log} exec {sys.executable} {AGENT}\n"
    )
    program.chmod(0o755)
    names = ("api", "web", "docs")
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "fix it, twice\nand well",
         *(f"{name}={shlex.quote(str(program))}" for name in names)],
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [line.split(": ")[:2] for line in done.stdout.splitlines()] == [
        [name, "done"] for name in names
    ]
    # Each prompt was one paste, asked and answered once, and nothing is left running.
    assert sorted(log.read_text().splitlines()) == (["Yes"] * 3 + ["fix it, twice and well"] * 3)
    assert not any(view.live for view in sessions.find_all())
