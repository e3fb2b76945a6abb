"""What all hooks share."""

import json

import pytest

from dejavu.providers import HOOKS
from dejavu.providers.formats.hooks import encode_entry


def test_a_line_is_a_payload_with_its_moment():
    assert json.loads(encode_entry({"a": "ü"}, 1.5)) == {"t": 1.5, "payload": {"a": "ü"}}
    assert encode_entry({}, 0.0).endswith(b"\n")


def test_a_lone_surrogate_costs_nothing_else(play_hooks):
    odd = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "a\ud800b"}
    said = play_hooks("claude", encode_entry(odd, 1.0)).turns[0].text
    assert said.strip("\ufffd") == said
    assert said.replace("\ufffd", "") == "ab"


def test_bare_payloads_are_read_too(play_hooks):
    bare = [{"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "Hi"}]
    data = b"".join(json.dumps(one).encode() + b"\n" for one in bare)
    (turn,) = play_hooks("claude", data).turns
    assert turn.text == "Hi"


def test_a_payload_points_to_its_session_and_its_file():
    payload = {"session_id": "s1", "transcript_path": "/w/s1.jsonl"}
    assert HOOKS["claude"].session_of(payload) == "s1"
    assert HOOKS["claude"].transcript_of(payload) == "/w/s1.jsonl"
    assert HOOKS["claude"].session_of({}) is None
    assert HOOKS["claude"].transcript_of({"transcript_path": 7}) is None


@pytest.mark.parametrize("agent", sorted(HOOKS))
def test_any_payload_has_a_status_or_none(agent):
    for odd in ({}, {"hook_event_name": 7}, {"type": None}, {"type": "session.status"}):
        assert HOOKS[agent].status_of(odd) is None
