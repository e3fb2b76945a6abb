"""All hooks together: what each gives of one tool call."""

from pathlib import Path

import pytest
from benchmarks.providers import vectors
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.model import Role, Text, ToolCall, ToolCallResponse, Vector
from dejavu.providers import HOOKS
from dejavu.providers.protocol import Parser

HALF = settings(max_examples=settings.default.max_examples // 2)  # one for each of many
REPO = Path(__file__).resolve().parents[4]
AGENTS = sorted(HOOKS)
TOOL = "Create a file called made_by_agent.txt and list the directory."
COMMAND = "echo rig-was-here > made_by_agent.txt && ls -1"
FIRST, LAST = "I'll create the file and list the directory.", "Done. The directory now holds"
SILENT = {"copilot", "kimi"}
SHOWS_ALL = {"claude", "gemini", "opencode", "pi"}  # others tell the last message, SILENT none


@pytest.mark.parametrize("agent", AGENTS)
def test_a_tool_call(agent, play_hooks, hook_lines):
    played = play_hooks(agent, hook_lines(agent))
    turns = played.turns
    assert {turn.vector for turn in turns} == {Vector.HOOK}
    assert turns[0].role is Role.USER
    assert turns[0].text.strip('"') == TOOL
    calls = [part for turn in turns for part in turn.parts if isinstance(part, ToolCall)]
    results = [part for turn in turns for part in turn.parts if isinstance(part, ToolCallResponse)]
    assert len(calls) == len(results) == 1
    assert COMMAND in str(calls[0].arguments)
    assert results[0].id == calls[0].id
    assert not results[0].is_error
    said = [part.content for t in turns[1:] for part in t.parts if isinstance(part, Text)]
    if agent in SHOWS_ALL:
        assert said[0] == FIRST
    assert [one.startswith(LAST) for one in said].count(True) == (agent not in SILENT)
    assert not played.drift
    assert played.head.workspace == "/home/someone/project"
    assert played.head.native_id
    assert [turn.seq for turn in turns] == list(range(len(turns)))
    assert all(turn.at for turn in turns)


@pytest.mark.parametrize("agent", AGENTS)
@given(cuts=st.lists(st.integers(0, 30_000), max_size=6), resumed=st.booleans())
@HALF
def test_chunks_and_new_parsers_never_matter(agent, cuts, resumed, play_hooks, hook_lines):
    data = hook_lines(agent)
    whole, parts = play_hooks(agent, data), play_hooks(agent, data, cuts, resumed=resumed)
    assert parts.turns == whole.turns
    assert parts.drift == whole.drift


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
@HALF
def test_damage_never_raises(agent, data, play_hooks, hook_lines):
    spool = bytearray(hook_lines(agent))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(spool) - 1))
        spool[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    play_hooks(agent, bytes(spool))


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
@HALF
def test_any_order_doubles_nothing(agent, data, play_hooks, hook_lines):
    """Hooks run side by side: whatever the order, no text and no call is told twice."""
    lines = data.draw(st.permutations(hook_lines(agent).splitlines(keepends=True)))
    parts = [part for turn in play_hooks(agent, b"".join(lines)).turns for part in turn.parts]
    calls = [part for part in parts if isinstance(part, ToolCall)]
    if agent != "gemini":  # its calls have no ids
        assert len(calls) == 1
    assert sum(TOOL in str(part) for part in parts if isinstance(part, Text)) == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_an_unknown_event_is_counted(agent, play_hooks, hook_lines):
    strange = b'{"t":1,"payload":{"hook_event_name":"Eclipse","type":"eclipse","deep":{"er":1}}}\n'
    played = play_hooks(agent, hook_lines(agent) + strange + b"no JSON\n")
    assert played.drift["(unreadable)"] == 1
    assert any("deep.er" in kind for kind in played.drift)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_parser_is_a_parser_of_providers(agent):
    hook = HOOKS[agent]
    assert hook.agent == agent
    assert hook.events
    from dejavu.providers.protocol import Kind, Source

    assert isinstance(hook.parser(Source(agent, Path("x"), "local", Kind.APPEND)), Parser)


@pytest.mark.shared
@pytest.mark.parametrize("run", ["tour-120x40", "tour-headless", "tools-120x40"])
def test_recordings_give_what_their_hooks_carry(run, shared):
    result = vectors.measure(shared / "data/recordings/claude" / run)["hook"]
    for kind in ("prompt", "call", "response"):
        assert result[kind][0] == result[kind][1], (kind, result["missed"])
    assert not [text for kind, text in result["missed"] if kind == "answer"]
    assert result["reasoning"][0] == 0
    assert result["twice"] == 0
