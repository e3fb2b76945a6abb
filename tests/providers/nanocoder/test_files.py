"""Nanocoder's documents."""

import json
from pathlib import Path
from typing import Any

from dejavu.providers import PROVIDERS, Home, Kind


def read(parse: Any, *messages: dict[str, Any]) -> Any:
    raw = json.dumps({"messages": list(messages), "model": "m"}).encode()
    book, parser = parse("nanocoder", raw, "s.json", kind=Kind.WHOLE)
    return book.turns["native"], parser


def test_calls_and_answers_keep_their_ids_and_failures_are_told(parse: Any) -> None:
    call = {"id": "c", "function": {"name": "execute_bash", "arguments": {"command": "ls"}}}
    turns, _ = read(
        parse,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "Error: no such file", "tool_call_id": "c"},
    )
    (asked,), (answer,) = (turn.parts for turn in turns)
    assert (asked.id, asked.name, asked.arguments) == ("c", "execute_bash", {"command": "ls"})
    assert (answer.id, answer.response, answer.is_error) == ("c", "Error: no such file", True)
    assert [turn.model for turn in turns] == ["m", None]


def test_a_role_nobody_knows_is_kept_and_counted(parse: Any) -> None:
    strange = {"role": "critic", "content": "hm"}
    (turn,), parser = read(parse, strange)
    assert (turn.role, turn.parts[0].data) == ("system", strange)
    assert parser.drift == {"role critic": 1}


def test_an_empty_message_is_no_turn(parse: Any) -> None:
    turns, _ = read(parse, {"role": "user", "content": "a"}, {"role": "assistant", "content": ""})
    assert len(turns) == 1


def test_its_own_variable_moves_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "moved" / "sessions"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text("{}")
    (folder / "sessions.json").write_text("[]")
    moved = Home(tmp_path, {"NANOCODER_DATA_DIR": str(tmp_path / "moved")})
    (source,) = PROVIDERS["nanocoder"].discover(moved)
    assert source.native_id == "a"
