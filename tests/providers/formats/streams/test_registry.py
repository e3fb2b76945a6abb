"""All streams together: what each gives of one tool call, one thought, one error."""

from pathlib import Path

import pytest
from benchmarks.providers import vectors
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse, Vector
from dejavu.providers import STREAMS

HALF = settings(max_examples=settings.default.max_examples // 2)  # one for each of many
REPO = Path(__file__).resolve().parents[4]
AGENTS = sorted(STREAMS)
ECHOES = {"amp", "copilot", "gemini", "pi"}  # these print the prompt themselves
THINKS = {"claude", "codex", "copilot", "opencode", "pi", "qwen"}
QUIET_ERRORS = {"kimi"}  # errors on stderr only
TOOL = "Create a file called made_by_agent.txt and list the directory."
COMMAND = "echo rig-was-here > made_by_agent.txt && ls -1"
ARGV = {
    "amp": ["amp", "-x", None, "--stream-json"],
    "claude": ["claude", "-p", None, "--output-format", "stream-json", "--verbose"],
    "codex": ["codex", "exec", "--json", "-C", "/w", None],
    "copilot": ["copilot", "-p", None, "--output-format", "json"],
    "gemini": ["gemini", "-o", "stream-json", "-p", None],
    "kimi": ["kimi", "-p", None, "--output-format=stream-json"],
    "opencode": ["opencode", "run", "--format", "json", None],
    "pi": ["pi", "--mode", "json", "-p", None],
    "qwen": ["qwen", "--output-format", "stream-json", "-p", None],
}


def argv(agent, prompt):
    return [prompt if word is None else word for word in ARGV[agent]]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_tool_call(agent, play_stream, stream_lines):
    played = play_stream(agent, stream_lines(f"{agent}-tool"), argv(agent, TOOL))
    turns = [turn for turn in played.turns if turn.role is not Role.SYSTEM]  # Codex: a warning
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert {turn.vector for turn in turns} == {Vector.STREAM}
    assert [turn.seq for turn in played.turns] == list(range(len(played.turns)))
    assert turns[0].parts == (Text(TOOL),)
    assert bool(turns[0].spans) == (agent in ECHOES)
    said, call = turns[1].parts
    assert said == Text("I'll create the file and list the directory.")
    assert isinstance(call, ToolCall)
    assert COMMAND in str(call.arguments)
    (response,) = turns[2].parts
    assert isinstance(response, ToolCallResponse)
    assert response.id == call.id
    assert not response.is_error
    assert turns[3].text.startswith("Done. The directory now holds `made_by_agent.txt`")
    assert not played.drift
    assert played.head.native_id
    assert played.head.turn_count == len(played.turns)
    assert played.head.title == TOOL


@pytest.mark.parametrize("agent", AGENTS)
def test_a_thought(agent, play_stream, stream_lines):
    turns = play_stream(agent, stream_lines(f"{agent}-think")).turns
    answer = turns[-1]
    thoughts = [part.content for part in answer.parts if isinstance(part, Reasoning)]
    assert len(thoughts) == (agent in THINKS)
    assert all(thought.endswith("So it is composite.") for thought in thoughts)
    assert answer.text == "No. **391 = 17 × 23**, so it is composite."


@pytest.mark.parametrize("agent", sorted(set(AGENTS) - QUIET_ERRORS))
def test_an_error_is_one_system_turn(agent, play_stream, stream_lines):
    turns = play_stream(agent, stream_lines(f"{agent}-error"), argv(agent, "Fail.")).turns
    failed = "scripted failure, the request was refused"
    assert [turn.role for turn in turns if failed in turn.text] == [Role.SYSTEM]
    assert not [turn for turn in turns if turn.role is Role.ASSISTANT]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("what", ["tool", "think", "error"])
def test_spans_hold_what_was_said(agent, what, play_stream, stream_lines):
    data = stream_lines(f"{agent}-{what}")
    for turn in play_stream(agent, data).turns:
        for span in turn.spans:
            piece = data[span.offset : span.offset + span.length]
            assert piece.startswith(b"{")
            assert piece.endswith(b"}")


@pytest.mark.parametrize("agent", AGENTS)
def test_sniff_knows_its_own(agent, stream_lines):
    stream, data = STREAMS[agent], stream_lines(f"{agent}-tool")
    first = data.index(b"\n")
    assert stream.sniff(data) == 1
    assert stream.sniff(b"\n\n" + data) == 1
    assert stream.sniff(data[: first // 2]) > 0.5
    assert stream.sniff(data[:first]) > 0.5


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"Done. I made the file.\n",
        b'```json\n{"type":"system","session_id":"x"}\n```\n',
        b'Here it is:\n{"type":"thread.started","thread_id":"x"}\n',
        b'{"name": "a package.json that was asked for", "version": "1.0"}\n',
        b'{"type":"object","properties":{}}\n',
        b"[1, 2, 3]\n",
        b"\x1b[?25l\xff\xfe",
    ],
)
def test_sniff_refuses_plain_output(agent, text):
    assert STREAMS[agent].sniff(text) == 0


@pytest.mark.parametrize("agent", AGENTS)
@given(cuts=st.lists(st.integers(0, 20_000), max_size=6), resumed=st.booleans())
@HALF
def test_chunks_and_new_parsers_never_matter(agent, cuts, resumed, play_stream, stream_lines):
    data = stream_lines(f"{agent}-tool")
    whole = play_stream(agent, data, argv(agent, TOOL))
    parts = play_stream(agent, data, argv(agent, TOOL), cuts, resumed=resumed)
    assert parts.turns == whole.turns
    assert parts.head == whole.head
    assert parts.drift == whole.drift


@pytest.mark.parametrize("agent", AGENTS)
@given(cut=st.integers(0, 20_000))
@HALF
def test_what_was_cut_off_keeps_what_came(agent, cut, play_stream, stream_lines):
    data = stream_lines(f"{agent}-tool")
    cut %= len(data)
    whole = play_stream(agent, data, argv(agent, TOOL)).turns
    torn = play_stream(agent, data[:cut], argv(agent, TOOL)).turns
    assert torn[0].parts == whole[0].parts
    for turn, full in zip(torn, whole, strict=False):
        assert turn.role is full.role
        assert full.text.startswith(turn.text)


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
@HALF
def test_damage_never_raises(agent, data, play_stream, stream_lines):
    trace = bytearray(stream_lines(f"{agent}-tool"))
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(trace) - 1))
        trace[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    play_stream(agent, bytes(trace))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_strange_line_is_counted_and_costs_nothing_else(agent, play_stream, stream_lines):
    lines = stream_lines(f"{agent}-tool").splitlines(keepends=True)
    strange = (
        b'{"type":"never.seen","role":"never","session_id":null,"deep":{"er":{"est":{"x":1}}}}\n'
    )
    half = len(lines) // 2
    played = play_stream(agent, b"".join([*lines[:half], b"not JSON\n", strange, *lines[half:]]))
    assert played.drift["(unreadable)"] == 1
    assert any("deep.er.est" in kind for kind in played.drift)
    assert not any("deep.er.est.x" in kind for kind in played.drift)
    assert [turn.text for turn in played.turns if turn.role is Role.ASSISTANT][-1].startswith(
        "Done."
    )


@pytest.mark.shared
@pytest.mark.parametrize("agent", [*sorted(set(AGENTS) - {"pi", "amp"}), "amp-old"])
def test_recordings_give_what_their_stream_carries(agent, shared):
    folder = shared / "data/recordings" / agent / "tour-headless"
    result = vectors.measure(folder)["stream"]
    everything = {"prompt", "answer"}
    if agent not in QUIET_ERRORS:
        everything.add("error")
    if agent in THINKS - {"opencode"}:  # recorded without --thinking
        everything.add("reasoning")
    if agent != "codex":  # its one call was rejected, and so is no item of its stream
        everything |= {"call", "response"}
    for kind in sorted(everything):
        found, wanted = result[kind]
        assert found == wanted, (kind, result["missed"])
    assert result["twice"] == 0
