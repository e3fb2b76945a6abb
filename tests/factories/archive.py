"""A small archive with two conversations, and a way to run `dejavu` in this process."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.factories import json_schema

from dejavu.archive import Archive
from dejavu.interfaces.command_line.app import run
from dejavu.model import (
    Conversation,
    Extension,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
    Vector,
    conversation_id,
)

START = 1_795_000_000.0


class Result(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """The rows of a list: of `{"<plural>": [...], "next": ...}`, or the bare array."""
        value = self.json
        if isinstance(value, dict):
            value, _ = value.values()
        rows: list[Any] = value
        return rows


@pytest.fixture
def dejavu(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """`dejavu("list", "--json")` runs a command in a throw-away home.

    A document of `--json` is held to docs/dejavu.schema.json.
    """

    def call(*arguments: str) -> Result:
        capsys.readouterr()
        code = run(list(arguments))
        out, err = capsys.readouterr()
        if "--json" in arguments and code == 0:
            with suppress(json.JSONDecodeError):
                json_schema.check(arguments, json.loads(out))
        return Result(code, out, err)

    return call


def conversation(
    native_id: str, agent: str, workspace: str, at: float, *turns: Turn
) -> Conversation:
    return Conversation(
        id=conversation_id(agent, "local", native_id),
        agent=agent,
        native_id=native_id,
        workspace=workspace,
        source=f"/traces/{native_id}.jsonl",
    ).with_turns(turns)


@pytest.fixture
def archived(home: Path) -> list[Conversation]:
    """Two conversations in this home's archive: the newer one first, as `list` has them."""
    retry = conversation(
        "s-1",
        "claude",
        "/work/retry",
        START,
        Turn(role=Role.USER, parts=(Text("Why does retry_budget run dry?"),), at=START),
        Turn(
            role=Role.ASSISTANT,
            parts=(
                Reasoning("Look at the tick."),
                Text("Because `RetryBudget.tick` is **never** called."),
                ToolCall("c1", "Bash", {"command": "grep -n tick src/net/retry.py"}),
            ),
            at=START + 2,
            model="opus",
            usage=Usage(input_tokens=10, output_tokens=20),
        ),
        Turn(
            role=Role.TOOL,
            parts=(ToolCallResponse("c1", "\n".join(f"line {n}" for n in range(40))),),
            at=START + 3,
        ),
        Turn(role=Role.SYSTEM, parts=(Extension("claude.note", {"k": "v"}),), at=START + 4),
    )
    hostile = conversation(
        "s-2",
        "amp",
        "/work/other",
        START + 100,
        Turn(
            role=Role.USER,
            parts=(Text("clear \x1b[2J\x1b]52;c;aGk=\x07 me \u202e!"),),
            at=START + 100,
            vector=Vector.SCREEN,
        ),
        Turn(role=Role.ASSISTANT, parts=(Text("No."),), at=START + 101, vector=Vector.SCREEN),
    )
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(retry)
        archive.put(hostile)
    return [hostile, retry]
