"""The example drives three small agents to the end; real ones are driven in tests/e2e."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.screen_server import look

REPO = Path(__file__).resolve().parents[2]
AGENT = Path(__file__).with_name("fake_agent.py")
NAMES = ("api", "web", "docs")


@pytest.fixture
def fleet(home: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--size", "100x24"]
    wrappers = [
        subprocess.Popen(
            [*command, "--agent", "demo", "--name", name, "--", sys.executable, str(AGENT)],
            env={**os.environ, "PYTHONPATH": str(REPO / "src")},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for name in NAMES
    ]  # fmt: skip
    yield wrappers
    for wrapper in wrappers:
        wrapper.send_signal(signal.SIGTERM)
        wrapper.wait(60)


def test_it_is_short() -> None:
    text = (REPO / "examples" / "orchestrate.py").read_text()
    lines = [line for line in text.rpartition('"""\n')[2].splitlines() if line.strip()]
    assert len(lines) <= 30


def test_three_agents_are_driven_to_the_end(
    home: Path, fleet: list[subprocess.Popen[bytes]]
) -> None:
    prompts = [f"{name}=fix the {name}, twice\nand well" for name in NAMES]
    done = subprocess.run(
        [sys.executable, str(REPO / "examples" / "orchestrate.py"), *prompts],
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "api: done", "docs: done", "done: 3 done", "web: done",
    ]  # fmt: skip
    for seen in sessions.find_all():
        name = seen.session.name
        # The whole paste was one prompt, and it was asked and answered once.
        text = "\n".join(look(seen.folder)["rows"])
        assert text.count(f"Did it: fix the {name}, twice") == 1
        assert seen.state == "done"
