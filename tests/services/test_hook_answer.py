"""The answer's parts: what a payload holds, what a transcript said last, each agent's form."""

import json
from pathlib import Path
from typing import Any

import pytest

from dejavu.model import Conversation
from dejavu.services.hook_answer import (
    HookRequest,
    answer_standalone,
    format_response,
    last_lines,
    parse_prompt,
)

PROMPT = "why does the retry_budget tick run dry?"


def asked(home: Path, **fields: Any) -> HookRequest:
    data = {"session_id": "now", "cwd": "/work/retry", "prompt": PROMPT, **fields}
    location = str(home / ".local/share/dejavu/archive")
    return HookRequest("", "", "", "/work/retry", location, json.dumps(data).encode())


def test_a_prompt_and_who_calls(home: Path) -> None:
    found = parse_prompt(asked(home, hook_event_name="BeforeAgent"))
    assert found is not None
    assert (found.agent, found.prompt, found.folder) == ("gemini", PROMPT, "/work/retry")
    named = parse_prompt(asked(home)._replace(agent="codex"))
    assert named is not None
    assert named.agent == "codex"
    parts = [{"type": "text", "text": PROMPT}, {"type": "image"}]  # as Kimi says it
    told = parse_prompt(asked(home, prompt=parts))
    assert told is not None
    assert told.prompt == PROMPT
    for nothing in ("", "ab", 5, None, [], [{"type": "image"}]):
        assert parse_prompt(asked(home, prompt=nothing)) is None


def test_settings_are_heeded(archived: list[Conversation], home: Path) -> None:
    assert b"RetryBudget.tick" in answer_standalone(asked(home))
    folder = home / ".config" / "dejavu"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("[recall]\ninject = false\n")
    assert answer_standalone(asked(home, session_id="other")) == b""
    (folder / "config.toml").write_text("[recall]\neverywhere = true\nbudget = 1024\n")
    told = answer_standalone(asked(home, session_id="other", cwd="/elsewhere"))
    context = json.loads(told)["hookSpecificOutput"]["additionalContext"]
    assert len(context.encode()) <= 1024


def test_nothing_without_an_archive(home: Path) -> None:
    assert answer_standalone(asked(home)) == b""
    assert not (home / ".local").exists()


def test_the_last_lines_of_a_transcript(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    rows = [{"message": {"role": "user", "content": f"line {n}"}} for n in range(30)]
    last = {"role": "assistant", "content": [{"type": "text", "text": "two\n\nlines"}, {"n": 1}]}
    rows.append(last)
    file.write_text("no json\n" + "\n".join(json.dumps(row) for row in rows) + "\n[1]\n")
    lines = last_lines(str(file))
    assert lines[-3:] == ["line 29", "two", "lines"]
    assert len(lines) == 20
    assert last_lines(str(tmp_path / "none")) == last_lines(None) == last_lines(5) == []


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "kimi", "copilot"])
def test_each_agent_has_its_form(agent: str) -> None:
    told = format_response(agent, {}, "<b>")
    if agent == "kimi":
        assert told == "<b>"
        return
    answer = json.loads(told)
    assert answer.get("additionalContext", answer.get("hookSpecificOutput", {})) in (
        "<b>",
        {
            "hookEventName": "BeforeAgent" if agent == "gemini" else "UserPromptSubmit",
            "additionalContext": "<b>",
        },
    )
