"""A conversation of Claude Code in a folder that is here: archived, then lost by the agent."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from dejavu.providers.restorer import dashed

NATIVE = "0b7e3c61-0000-4000-8000-000000000001"


class LostClaude(NamedTuple):
    """What was lost: `files` with their bytes; the session file is the first."""

    identity: str
    work: Path
    files: dict[Path, bytes]

    @property
    def log(self) -> Path:
        return next(iter(self.files))


def program(folder: Path, script: str) -> str:
    """An agent called `claude` in this folder; the PATH that has it."""
    path = folder / "claude"
    folder.mkdir()
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def lose_claude(home: Path, work: Path) -> LostClaude:
    """Write a session with a spilled output, archive it by the command, and delete it."""
    work.mkdir()
    project = home / ".claude/projects" / dashed(str(work))
    record = {
        "type": "user", "uuid": "u1", "parentUuid": None, "sessionId": NATIVE, "cwd": str(work),
        "timestamp": "2026-11-01T10:00:00.000Z", "message": {"role": "user", "content": "hello"},
    }  # fmt: skip
    files = {
        project / f"{NATIVE}.jsonl": json.dumps(record).encode() + b"\n",
        project / NATIVE / "tool-results" / "b1.txt": b"a long output\n" * 20_000,
        home / ".claude/todos" / f"{NATIVE}-agent-{NATIVE}.json": b"[]",
    }
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    dejavu("sync")
    (head,) = json.loads(dejavu("list", "--json"))["conversations"]
    for path in files:
        path.unlink()
    return LostClaude(head["id"], work, files)


def dejavu(*words: str) -> str:
    """What the command prints."""
    command = [sys.executable, "-m", "dejavu.interfaces.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    return done.stdout
