"""Every example of the help is run, or read where it needs a running agent, a server or a person."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.examples import EXAMPLES
from dejavu.interfaces.command_line.simple_line import find, parse
from dejavu.interfaces.command_line.typer_app import load
from dejavu.model import Conversation
from dejavu.recall import Memory

READ_ALONE = {
    "status api --watch": "a running session",
    "memory find": "the recall index is made in the background",
    "undelete": "files of an agent that were archived",
    "code blame": "a repository with an agent's edits",
    "code recover": "a file that an agent changed",
    "code files": "a conversation that changed files",
    "code commit": "a repository with an agent's commit",
    "code fix": "a failure that was archived",
    "import - --agent": "an agent",
    "init claude": "a person who says yes",
    "packs": "sessions to learn from",
    "replay": "a recording",
    "explain": "a screen",
    **dict.fromkeys(("web", "serve", "pick", "otlp", "mcp", "hook", "panes"), "it does not end"),
    **dict.fromkeys(("attach", "send", "answer", "wait", "stop", "screen", "capture-screen"), "a session"),
    **dict.fromkeys(("resume", "run", "acp", "wire", "golden"), "an agent"),
    **dict.fromkeys(("team", "archive restore"), "a server, or a backup"),
}  # fmt: skip
"""Beginnings of examples that are not run, and what each needs."""

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


def _is_run(line: str) -> bool:
    words = line.rpartition("dejavu ")[2]
    return not any(words == one or words.startswith(f"{one} ") for one in READ_ALONE)


@pytest.mark.parametrize("line", [line for line in LINES if _is_run(line)])
def test_an_example_runs(
    archived: list[Conversation], home: Path, tmp_path: Path, line: str
) -> None:
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        memory = Memory(archive).remember("the budget is three")
    (tmp_path / "conversations.json").write_text(EXPORT)
    (home / ".claude").mkdir()
    (tmp_path / "notes.md").write_text("# You\n\nhello\n\n# Claude\n\nhi\n")
    line = line.replace("MEMORY", memory.id).replace("ID", archived[1].id)
    line = line.replace("/mnt/old/home", str(tmp_path))
    program = f'dejavu() {{ {shlex.quote(sys.executable)} -m dejavu.interfaces.cli "$@"; }}; '
    done = subprocess.run(
        ["bash", "-c", program + line], cwd=tmp_path, env={**os.environ, "HOME": str(home)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("line", [line for line in LINES if not _is_run(line)])
def test_an_example_that_needs_more_is_a_right_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "session.cast").touch()
    (tmp_path / "backup-of-today").mkdir()
    words = shlex.split(line.rpartition("dejavu ")[2])
    name, rest, *_ = find(words)
    if parse(name, rest) is None:
        load(name).make_context(name, rest)
