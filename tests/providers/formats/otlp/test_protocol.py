"""What all telemetry shares."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model import Usage
from dejavu.providers import TELEMETRY
from dejavu.providers.formats.otlp import line
from dejavu.providers.formats.otlp.protocol import tokens
from dejavu.providers.protocol import Kind, Parser, Source

AGENTS = sorted(TELEMETRY)


@pytest.fixture
def talk(otlp_log):
    """One prompt, one answer or call, told by each agent's own events."""
    chunk = [{"candidates": [{"content": {"parts": [{"text": "Hello"}]}}]}]
    return {
        "claude": [
            otlp_log("user_prompt", session__id="s1", prompt="Hi"),
            otlp_log("assistant_response", session__id="s1", response="Hello", query_source="sdk"),
        ],
        "codex": [
            otlp_log("codex.user_prompt", conversation__id="s1", prompt="Hi"),
            otlp_log("codex.tool_result", conversation__id="s1", call_id="c1", tool_name="sh",
                arguments="{}", output="x", success="true"),
        ],
        "gemini": [
            otlp_log("gemini_cli.user_prompt", session__id="s1", prompt="Hi"),
            otlp_log("gemini_cli.api_response", session__id="s1", role="main", response_text=chunk),
        ],
        "qwen": [
            otlp_log("qwen-code.user_prompt", session__id="s1", prompt="Hi"),
            otlp_log("qwen-code.api_response", session__id="s1", response_text="Hello"),
        ],
    }  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
@given(cuts=st.lists(st.integers(0, 5_000), max_size=5), resumed=st.booleans())
def test_chunks_and_new_parsers_never_matter(agent, cuts, resumed, play_otlp, talk):
    whole = play_otlp(agent, *([record] for record in talk[agent]))
    parts = play_otlp(agent, *([record] for record in talk[agent]), cuts=cuts, resumed=resumed)
    assert parts.turns == whole.turns
    assert [turn.vector for turn in whole.turns] == ["otlp"] * len(whole.turns)
    assert whole.turns[0].text == "Hi"
    assert whole.head.native_id == "s1"


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
def test_damage_never_raises(agent, data, talk):
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": talk[agent]}]}]}
    spool = bytearray(line("/v1/logs", json.dumps(body).encode(), "application/json", 1.0))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(spool) - 1))
        spool[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    parser = TELEMETRY[agent].parser(Source(agent, Path("otlp"), "local", Kind.APPEND))
    parser.feed(bytes(spool), 0)
    parser.close()
    parser.take()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_parser_is_a_parser_of_providers(agent):
    source = Source(agent, Path("otlp"), "local", Kind.APPEND)
    assert isinstance(TELEMETRY[agent].parser(source), Parser)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_prompt_that_is_withheld_is_none(agent, play_otlp, talk, otlp_log):
    key = "conversation__id" if agent == "codex" else "session__id"
    name = {"codex": "codex.", "gemini": "gemini_cli.", "qwen": "qwen-code."}.get(agent, "")
    hidden = otlp_log(f"{name}user_prompt", prompt="<REDACTED>", **{key: "s1"})
    turns = play_otlp(agent, [hidden, *talk[agent][1:]]).turns
    assert "user" not in [turn.role for turn in turns]


def test_two_sessions_in_one_batch(play_otlp, otlp_log):
    batch = [otlp_log("user_prompt", session__id=name, prompt=name) for name in ("s1", "s2", "s1")]
    played = play_otlp("claude", batch)
    texts = {head.native_id: [turn.text for turn in played.threads[key]]
             for key, head in played.heads.items()}  # fmt: skip
    assert texts == {"s1": ["s1", "s1"], "s2": ["s2"]}


def test_an_export_that_cannot_be_read_is_counted(play_otlp):
    source = Source("claude", Path("otlp"), "local", Kind.APPEND)
    parser = TELEMETRY["claude"].parser(source)
    parser.feed(b'{"path":"/v1/logs","b64":"//8="}\nno JSON\n', 0)
    assert parser.drift == {"(unreadable)": 2}


def test_tokens_from_texts_and_numbers():
    facts = {"in": "12", "out": 3, "cost": "0.5", "odd": "x"}
    assert tokens(facts, "in", "out", "", "", "", "cost") == Usage(
        input_tokens=12, output_tokens=3, cost=0.5
    )
    assert tokens(facts, "odd", "", "", "", "") is None
