"""Every example of the help is run as it is written: with a scripted agent, in a terminal where it needs one.

The few that need what no test has are held to the command line's grammar alone, with the reason.
"""

import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.factories.archive import START, conversation
from tests.factories.edits import LONG, OTHER, Script, git
from tests.factories.waiting import until

from dejavu.archive import Archive
from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.examples import EXAMPLES
from dejavu.interfaces.command_line.simple_line import find, parse
from dejavu.interfaces.command_line.typer_app import load
from dejavu.model import Role, Text, Turn
from dejavu.recall import Memory
from dejavu.sessions.session_store import find as find_session
from dejavu.sessions.session_store import find_all

AGENT = Path(__file__).parents[2] / "extensions/acp/programs/typed_agent.py"
NATIVE = "0b7e3c61-0000-4000-8000-000000000001"
ERROR = "ModuleNotFoundError: No module named 'x'"
UNTRIED = {
    "team": "a PostgreSQL server",
    "packs": "sessions whose screens were read badly",
    "panes --watch": "a multiplexer: without one it prints nothing until it is ended",
}
"""Beginnings of examples that are not run, and what each needs."""


class Typed(NamedTuple):
    """What a person does in a terminal: the keys, once this is on the screen; and the exit code."""

    shown: str
    keys: str
    code: int = 0


TYPED = {
    "attach api": Typed("shortcuts", "\x1c"),
    "code commit --hook": Typed(r"\[y/N\]", "y\r"),
    "golden record -- ./my-program": Typed("shortcuts", "end\r"),
    "init claude codex": Typed(r"\[y/N\]", "y\rn\r"),
    "otlp --port 4318": Typed("http", "\x03"),
    "pick": Typed("retry", "\x1b", 130),
    "resume last": Typed("shortcuts", "end\r", 3),
    "run claude": Typed("shortcuts", "end\r", 3),
    "serve": Typed("http|sock", "\x03", 130),
    "serve --port 8090": Typed("http", "\x03", 130),
    "status api --watch": Typed("idle", "\x03", 130),
    "undelete last --folder /home/ann/shop=/work/shop": Typed(r"\[y/N\]", "y\r"),
    "web": Typed("http", "\x03", 130),
    "web --port 8090 --no-open": Typed("http", "\x03", 130),
    "wire claude": Typed("shortcuts", "end\r", 3),
}
"""Examples that a person ends, or answers."""

EXPORT = json.dumps([{
    "uuid": "1", "name": "Frogs", "created_at": "2026-11-01T10:00:00Z",
    "chat_messages": [{"uuid": "2", "sender": "human", "text": "Do frogs sleep?",
                       "created_at": "2026-11-01T10:00:00Z"}],
}])  # fmt: skip
"""What claude.ai exports."""

LINES = [line for examples in EXAMPLES.values() for line in examples]


def test_every_command_has_one_to_three() -> None:
    assert EXAMPLES.keys() == COMMANDS.keys()
    for name, lines in EXAMPLES.items():
        assert 1 <= len(lines) <= 3
        assert all(f"dejavu {name}" in line for line in lines), name
        assert all(len(line) <= 90 for line in lines), name


def _words(line: str) -> str:
    return line.rpartition("dejavu ")[2]


def _starts(line: str, beginning: str) -> bool:
    words = _words(line)
    return words == beginning or words.startswith(f"{beginning} ")


def _is_run(line: str) -> bool:
    return not any(_starts(line, one) for one in UNTRIED)


class Place(NamedTuple):
    """A folder with everything that the examples name, and the words that stand for it."""

    folder: Path
    environment: dict[str, str]
    words: Mapping[str, str]

    def shell(self, line: str) -> list[str]:
        """The example as a command."""
        for word, meant in self.words.items():
            line = line.replace(word, meant)
        program = f"{shlex.quote(sys.executable)} -m dejavu.interfaces.cli"
        return ["bash", "-c", f'dejavu() {{ {program} "$@"; }}; {line}']

    def dejavu(self, line: str) -> None:
        """Do something first that an example needs."""
        subprocess.run(
            self.shell(f"dejavu {line}"), cwd=self.folder, env=self.environment, check=True,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip


@pytest.fixture
def place(home: Path, tmp_path: Path) -> Iterator[Place]:
    """A repository in which an agent worked, its session files, its programs, a recording."""
    folder, programs = tmp_path / "shop", tmp_path / "bin"
    (folder / "src").mkdir(parents=True)
    programs.mkdir()
    _programs(programs, folder / "my-program")
    _files(folder)
    archived = _archived(home, folder)
    environment = {
        **os.environ, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}",
    }  # fmt: skip
    environment.pop("CI", None)  # a person runs them: under CI no golden screen is written
    words = {
        **archived, "/mnt/old/home": str(tmp_path), "/home/ann/shop": str(folder),
        "/work/shop": str(folder), "4318": _free_port(), "8090": _free_port(),
    }  # fmt: skip
    made = Place(folder, environment, words)
    yield made
    if any(view.live for view in find_all()):
        made.dejavu("stop api --kill")


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


def _programs(folder: Path, own: Path) -> None:
    """Agents by their names: with a screen, printing JSON, speaking to an editor."""
    for program in (folder / "agent", folder / "codex", own):
        program.write_text(f"#!{sys.executable}\n{AGENT.read_text()}")
        program.chmod(0o755)
    printed = json.dumps(
        {"type": "result", "session_id": NATIVE, "result": "hi", "is_error": False}
    )
    lines = {
        "claude": f'[ "$1" = -p ] && exec echo {shlex.quote(printed)}\nexec agent "$@"',
        "gemini": "exec cat",
    }
    for name, line in lines.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)


def _files(folder: Path) -> None:
    """What the examples read from the folder they are run in."""
    (folder / "conversations.json").write_text(EXPORT)
    (folder / "notes.md").write_text("# You\n\nhello\n\n# Claude\n\nhi\n")
    (folder / "screen.txt").write_text("Do you want to run make?\n❯ 1. Yes\n  2. No\n")
    rows = [{"version": 2, "width": 40, "height": 12}, [1.0, "o", "hello\r\n"]]
    (folder / "session.cast").write_text("\n".join(map(json.dumps, rows)))
    git(folder, "init", "-q")
    (folder / "src/orders.py").write_text("total = 0\n")
    git(folder, "add", "src")
    git(folder, "commit", "-qm", "begin")
    (folder / "src/orders.py").write_text(f"{LONG}\n")
    git(folder, "commit", "-qam", "count", at=START + 400)
    (folder / "src/orders.py").write_text(f"{LONG}\n{OTHER}\n")
    git(folder, "add", "src")


def _archived(home: Path, folder: Path) -> dict[str, str]:
    """An agent's edits, a question, a session file that the agent keeps; ids by the words for them."""
    script = Script("edits", folder)
    script.user("count the retry budget of the orders")
    script.run("python -m x", f"Exit code 1\n{ERROR}", error=True)
    script.call("Write", {"file_path": str(folder / "src/orders.py"), "content": "total = 0\n"})
    script.edit(folder / "src/orders.py", "total = 0", LONG)
    script.run("grep -n total src/orders.py", LONG)
    script.edit(folder / "src/orders.py", LONG, f"{LONG}\n{OTHER}")
    script.run("python -m x", "ok")
    asked = conversation(
        "s-1", "claude", "/work/retry", START,
        Turn(role=Role.USER, parts=(Text("Why does the retry budget run dry?"),), at=START),
        Turn(role=Role.ASSISTANT, parts=(Text("The retry budget is never refilled."),), at=START + 2),
    )  # fmt: skip
    with Archive.open(home / ".local/share/dejavu/archive") as archive, archive.indexing():
        archive.put(script.conversation())
        archive.put(asked)
        memory = Memory(archive).remember("the budget is three")
    log = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(folder)) / f"{NATIVE}.jsonl"
    log.parent.mkdir(parents=True)
    turns = [
        {"type": role, "uuid": f"u{n}", "parentUuid": None, "sessionId": NATIVE, "cwd": str(folder),
         "timestamp": time.strftime(f"%Y-%m-%dT%H:%M:0{n}.000Z", time.gmtime()),
         "message": {"role": role, "content": text}}
        for n, (role, text) in enumerate((("user", "hello retry"), ("assistant", "retry it")))
    ]  # fmt: skip
    log.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return {"MEMORY": memory.id, "ID": asked.id}


def _prepare(place: Place, line: str) -> None:
    """What an example needs to have happened before it."""
    if _starts(line, "undelete") or _starts(line, "resume"):
        place.dejavu("sync")
    if _starts(line, "archive restore"):
        place.dejavu("archive backup backup-of-today")
    if _starts(line, "undelete"):
        shutil.rmtree(Path(place.environment["HOME"]) / ".claude/projects")
    if " api" in line and "--name api" not in line:
        place.dejavu("run --detach --name api claude")
        until(lambda: find_session("api").state in ("idle", "done"))
    if line.endswith("--interrupt"):
        place.dejavu("send api wait")
        until(lambda: find_session("api").state == "working")
    if _starts(line, "answer") or _starts(line, "capture-screen"):
        place.dejavu("send api 'run make'")
        until(lambda: find_session("api").state == "blocked")


@pytest.mark.parametrize("line", [line for line in LINES if _is_run(line)])
def test_an_example_runs(place: Place, line: str) -> None:
    _prepare(place, line)
    typed = TYPED.get(_words(line))
    code, output = _in_a_terminal(place, line, typed) if typed else _run(place, line)
    assert "Traceback" not in output
    assert code == (typed.code if typed else 0), output


def _run(place: Place, line: str) -> tuple[int, str]:
    done = subprocess.run(
        place.shell(line), cwd=place.folder, env=place.environment, input="", capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def _in_a_terminal(place: Place, line: str, typed: Typed) -> tuple[int, str]:
    """Run it with a terminal of its own; gives its exit code and what it wrote."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(place.folder)
        os.execvpe("bash", place.shell(line), place.environment)
    output, is_typed, end = b"", False, time.monotonic() + 60
    try:
        while time.monotonic() < end:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    piece = os.read(master, 65536)
                except OSError:
                    break
                if not piece:
                    break
                output += piece
            elif not is_typed and re.search(typed.shown, output.decode("utf-8", "replace")):
                os.write(master, typed.keys.encode())
                is_typed = True
        else:
            os.killpg(pid, signal.SIGKILL)
    finally:
        _, status = os.waitpid(pid, 0)
        os.close(master)
    return os.waitstatus_to_exitcode(status), output.decode("utf-8", "replace")


@pytest.mark.parametrize("line", [line for line in LINES if not _is_run(line)])
def test_an_example_that_needs_more_is_a_right_line(line: str) -> None:
    words = shlex.split(_words(line))
    name, rest, *_ = find(words)
    if parse(name, rest) is None:
        load(name).make_context(name, rest)
