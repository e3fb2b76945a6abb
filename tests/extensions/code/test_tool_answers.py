import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.factories.edits import Script

from dejavu.archive import Archive
from dejavu.extensions.code.tool_answers import BUDGET, assist

ERROR = "fatal: the copper harbor has no lantern at /srv/x/12"
Ask = Callable[..., str]


@pytest.fixture
def ask(home: Path, tmp_path: Path) -> Iterator[Ask]:
    with Archive.open(tmp_path / "archive") as archive:
        script = Script("one", "/w")
        script.user(
            "Change the parser. Never edit parser.py by hand, it is generated from AKIAIOSFODNN7EXAMPLE."
        )
        script.edit("/w/parser.py", "a", "b")
        script.run("./lamp on", f"Exit code 1\n{ERROR}", error=True)
        script.edit("/w/lamp.cfg", "off", "wick = long")
        script.run("./lamp on --wick", "lit")
        script.call(
            "TodoWrite", {"todos": [{"content": "light the second lamp", "status": "pending"}]}
        )
        archive.put(script.conversation())

        def ask(event: str, session: str = "new", **more: Any) -> str:
            payload = {"hook_event_name": event, "session_id": session, "cwd": "/w", **more}
            done = assist(
                archive,
                "claude",
                payload,
                lambda text: text.replace("AKIAIOSFODNN7EXAMPLE", "[key]"),
            )
            assert len(done) < 2 * BUDGET
            return json.loads(done)["hookSpecificOutput"]["additionalContext"] if done else ""

        yield ask


def _edit(name: str) -> dict[str, Any]:
    return {
        "tool_name": "Edit",
        "tool_input": {"file_path": name, "old_string": "a", "new_string": "c"},
    }


def test_what_was_decided_about_a_file_is_said_once_a_session(ask: Ask) -> None:
    said = ask("PreToolUse", **_edit("/w/parser.py"))
    assert "Never edit parser.py by hand" in said
    assert "[key]" in said
    assert said.startswith("<memory-context nonce=")
    assert len(said.encode()) <= BUDGET
    assert ask("PreToolUse", **_edit("/w/parser.py")) == ""
    assert ask("PreToolUse", **_edit("/w/other.py")) == ""
    assert ask("PreToolUse", "one", **_edit("/w/parser.py")) == ""  # its own words


def test_a_failure_brings_its_repair_and_a_success_nothing(ask: Ask) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "./lamp up"}}
    failed = ERROR.replace("/srv/x/12", "/home/b/977")
    said = ask("PostToolUseFailure", error=f"Exit code 1\n{failed}", **call)
    assert "lamp.cfg wick = long" in said
    assert "./lamp on --wick" in said
    assert ask("PostToolUse", tool_response={"stdout": failed, "exit_code": 0}, **call) == ""
    assert ask("PostToolUseFailure", error="ld: something else entirely is missing", **call) == ""


def test_a_command_that_only_ever_failed(ask: Ask) -> None:
    said = ask("PreToolUse", tool_name="Bash", tool_input={"command": "./lamp on"})
    assert "Then this passed: ./lamp on --wick" in said or "`./lamp on --wick`" in said
    assert ask("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}) == ""


def test_after_a_compaction_what_is_open(ask: Ask) -> None:
    assert "light the second lamp" in ask("SessionStart", "one", source="compact")
    assert ask("SessionStart", "one", source="startup") == ""
    assert ask("SessionStart", "nobody", source="compact") == ""


def test_after_a_read_where_no_hook_before_an_edit_is_heard(ask: Ask) -> None:
    read = {"tool_name": "read_file", "tool_input": {"file_path": "/w/parser.py"}}
    assert "Never edit parser.py by hand" in ask(
        "AfterTool", tool_response={"llmContent": "x"}, **read
    )
    assert ask("AfterTool", "other", tool_name="glob", tool_input={"pattern": "*.py"}) == ""


@pytest.mark.parametrize(
    "result",
    [
        {
            "tool_response": {
                "llmContent": f"Output: {ERROR}\nError: (none)\nExit Code: 1\nSignal: (none)"
            }
        },
        {
            "tool_result": {
                "text_result_for_llm": f"{ERROR}\n<shellId: 0 completed with exit code 1>"
            }
        },
        {"tool_response": f"{ERROR}\n"},
    ],
)
def test_failures_in_each_agents_form(ask: Ask, result: dict[str, Any]) -> None:
    call = {"tool_name": "run_shell_command", "tool_input": {"command": "./lamp up"}}
    assert "lamp.cfg wick = long" in ask("PostToolUse", **call, **result)


def test_the_answer_is_in_the_agents_own_form(home: Path, tmp_path: Path) -> None:
    script = Script("one", "/w")
    script.user("Never edit a.py by hand.")
    script.edit("/w/a.py", "a", "b")
    with Archive.open(tmp_path / "archive") as archive:
        archive.put(script.conversation())
        forms = {
            agent: json.loads(
                assist(
                    archive,
                    agent,
                    {"hook_event_name": event, "session_id": agent, **_edit("/w/a.py")},
                    str,
                )
            )
            for agent, event in (("copilot", "PostToolUse"), ("gemini", "AfterTool"))
        }
    assert set(forms["copilot"]) == {"additionalContext"}
    assert forms["gemini"]["hookSpecificOutput"]["hookEventName"] == "AfterTool"
