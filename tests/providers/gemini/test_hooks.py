"""Gemini CLI's hooks."""

import pytest

from dejavu.model import Text
from dejavu.providers import HOOKS

BASE = {"session_id": "s1", "cwd": "/w"}
PROMPT = {**BASE, "hook_event_name": "BeforeAgent", "prompt": "Hi"}
END = {**BASE, "hook_event_name": "AfterAgent", "prompt": "Hi", "prompt_response": "Hello"}
TOOL = {"tool_name": "ls", "tool_input": {"dir": "."}}
BEFORE = {**BASE, "hook_event_name": "BeforeTool", **TOOL}
AFTER = {**BASE, "hook_event_name": "AfterTool", **TOOL, "tool_response": {"llmContent": "x"}}


def chunk(text):
    return {**BASE, "hook_event_name": "AfterModel", "llm_request": {"model": "pro"},
            "llm_response": {"text": text}}  # fmt: skip


def test_without_chunks_the_last_message_is_the_answer(play_hooks):
    turns = play_hooks("gemini", [PROMPT, BEFORE, AFTER, END]).turns
    assert [turn.text for turn in turns] == ["Hi", "", "", "Hello"]


def test_the_last_message_is_believed_only_where_no_chunks_told_it(play_hooks):
    garbled = {**END, "prompt_response": "Hello lo"}
    (_, answer) = play_hooks("gemini", [PROMPT, garbled]).turns
    assert (answer.text, answer.meta) == ("Hello lo", {"verbatim": False})
    (_, answer) = play_hooks("gemini", [PROMPT, chunk("Hel"), chunk("lo"), garbled]).turns
    assert (answer.text, answer.meta) == ("Hello", {})


@pytest.mark.fault("1.12")
def test_a_placeholder_is_no_answer(play_hooks):
    """1.12"""
    empty = {**END, "prompt_response": "[no response text]"}
    assert [turn.text for turn in play_hooks("gemini", [PROMPT, empty]).turns] == ["Hi"]


def test_chunks_are_one_message_until_a_tool_or_the_end(play_hooks):
    turns = play_hooks("gemini", [PROMPT, chunk("Lo"), chunk("ok"), BEFORE, AFTER, chunk("Hel"),
                            chunk("lo"), END]).turns  # fmt: skip
    assert turns[1].parts[0] == Text("Look")
    assert turns[3].parts == (Text("Hello"),)
    assert turns[3].model == "pro"


def test_calls_without_ids_pair_with_their_results(play_hooks):
    turns = play_hooks("gemini", [PROMPT, BEFORE, AFTER, BEFORE, AFTER]).turns
    assert [len(turn.parts) for turn in turns] == [1] * 5


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        (PROMPT, "working"),
        (BEFORE, "working"),
        (END, "idle"),
        ({"hook_event_name": "Notification", "notification_type": "ToolPermission"}, "blocked"),
        ({"hook_event_name": "AfterModel"}, None),
    ],
)
def test_status(payload, status):
    assert HOOKS["gemini"].status_of(payload) == status
