"""Conversations in which agents change files and run commands, and a repository beside them."""

import os
import subprocess
from pathlib import Path
from typing import Any

from dejavu.model import (
    Conversation,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    conversation_id,
)

START = 1_795_000_000.0
# Lines of code: two that an agent writes, one that a person does.
LONG = "total = sum(order.price * order.count for order in orders)"
OTHER = "report.write(f'{customer.name}: {total:.2f} in {currency}')"
HUMAN = "if customer.blocked and not customer.reviewed_this_year:"


class Script:
    """A conversation that is written step by step."""

    def __init__(
        self, name: str, workspace: Path | str, agent: str = "claude", at: float = START
    ) -> None:
        self.id = conversation_id(agent, "local", name)
        self.at = at
        self.turns: list[Turn] = []
        self._conversation = Conversation(
            id=self.id, agent=agent, native_id=name, workspace=str(workspace)
        )

    def _add(self, role: Role, *parts: Any) -> int:
        self.at += 10
        self.turns.append(
            Turn(seq=len(self.turns), role=role, parts=parts, at=self.at, model="claude-x")
        )
        return len(self.turns) - 1

    def user(self, text: str) -> int:
        return self._add(Role.USER, Text(text))

    def says(self, text: str) -> int:
        return self._add(Role.ASSISTANT, Text(text))

    def call(self, name: str, arguments: Any, result: Any = "done", *, error: bool = False) -> int:
        """A call and its result; the number of the turn of the call."""
        identity = f"call-{len(self.turns)}"
        seq = self._add(Role.ASSISTANT, ToolCall(identity, name, arguments))
        self._add(Role.TOOL, ToolCallResponse(identity, result, is_error=error))
        return seq

    def run(self, command: str, result: str = "ok", *, error: bool = False) -> int:
        return self.call("Bash", {"command": command}, result, error=error)

    def edit(self, path: Path | str, old: str, new: str, *, error: bool = False) -> int:
        arguments = {"file_path": str(path), "old_string": old, "new_string": new}
        return self.call("Edit", arguments, error=error)

    def conversation(self) -> Conversation:
        return self._conversation.with_turns(tuple(self.turns))


def git(folder: Path, *words: str, at: float = START) -> str:
    """Run git with a time of its own and nobody's settings."""
    stamp = f"{int(at)} +0000"
    environ = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp,
    }  # fmt: skip
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environ, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
