"""Which of kimi-cli's two logs is read."""

import json
from pathlib import Path
from typing import Any

from dejavu.providers import PROVIDERS, Home

TURN = {"message": {"type": "TurnBegin", "payload": {"user_input": "go"}}}
EMPTY = {"message": {"type": "TurnBegin"}}
PROMPT = {"role": "user", "content": "go"}
OTHER = {"role": "user", "content": "something earlier"}


def session(home: Path, **files: list[dict[str, Any]]) -> list[str]:
    folder = home / ".kimi" / "sessions" / "h" / "s"
    for name, records in files.items():
        path = folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    sources = PROVIDERS["kimi-cli"].discover(Home(home, {}))
    return [f"{source.native_id}:{source.path.name}" for source in sources]


def test_the_wire_where_it_tells_all(tmp_path: Path) -> None:
    assert session(tmp_path, wire=[TURN], context=[PROMPT]) == ["s:wire.jsonl"]


def test_the_context_where_the_wire_is_empty_or_younger(tmp_path: Path) -> None:
    assert session(tmp_path / "a", wire=[EMPTY], context=[PROMPT]) == ["s:context.jsonl"]
    assert session(tmp_path / "b", wire=[TURN], context=[OTHER, PROMPT]) == ["s:context.jsonl"]
    assert session(tmp_path / "c", wire=[TURN], context=[PROMPT], context_1=[OTHER]) == [
        "s:context.jsonl",
        "s/context_1:context_1.jsonl",
    ]


def test_the_oldest_sessions_are_single_files(tmp_path: Path) -> None:
    folder = tmp_path / ".kimi" / "sessions" / "h"
    folder.mkdir(parents=True)
    (folder / "old.jsonl").write_text(json.dumps(PROMPT) + "\n")
    (source,) = PROVIDERS["kimi-cli"].discover(Home(tmp_path, {}))
    assert source.native_id == "old"
