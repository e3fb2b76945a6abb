"""The examples for orchestrators, each run as it is, with an agent that asks before it runs a command."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dejavu.sessions.session_store import find_all

REPO = Path(__file__).resolve().parents[2]
EXAMPLES = REPO / "examples"
AGENT = REPO / "tests/extensions/acp/programs/typed_agent.py"
BIN = Path(sys.executable).parent


@pytest.fixture
def agent(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that an example may wrap; `dejavu` is in the PATH."""
    program, folder = tmp_path / "claude", tmp_path / "work"
    program.write_text(f"#!{sys.executable}\n{AGENT.read_text()}")
    program.chmod(0o755)
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    return program


@contextmanager
def serving() -> Generator[str]:
    """The socket of `dejavu serve`."""
    command = [str(BIN / "dejavu"), "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.terminate()


def printed(*command: str | Path) -> str:
    """What an example prints last; nothing runs on behind it."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (done.stdout, done.stderr)
    end = time.monotonic() + 20  # a wrapper that was told to end may take a moment
    while any(view.live for view in find_all()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return done.stdout.rstrip().rpartition("\n")[2]


@pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
def test_three_lines_of_shell(agent: Path) -> None:
    script = EXAMPLES / "from_shell.sh"
    assert printed("sh", script, "run make", agent) == "It was ran."
    lines = [line for line in script.read_text().splitlines() if line and line[0] != "#"]
    assert len(lines[1:]) == 3  # and one that reads its arguments


def test_the_python_client(agent: Path) -> None:
    pytest.importorskip("starlette")
    with serving():
        script = EXAMPLES / "from_python.py"
        assert printed(sys.executable, script, "run make", agent) == "It was ran."


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs jq and curl")
def test_http(agent: Path) -> None:
    pytest.importorskip("starlette")
    with serving() as socket:
        script = EXAMPLES / "from_http.sh"
        assert printed("sh", script, socket, "run make", agent) == "It was ran."


def test_acp(agent: Path) -> None:
    pytest.importorskip("acp")
    assert printed(sys.executable, EXAMPLES / "from_acp.py", "run make", agent) == "It was ran."
