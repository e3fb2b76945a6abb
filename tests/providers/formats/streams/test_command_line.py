"""Prompts, sessions and formats out of command lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.providers import STREAMS
from dejavu.providers.formats.streams import Options
from dejavu.providers.formats.streams.command_line import names


@pytest.mark.parametrize(
    ("command", "prompt", "session", "streams"),
    [
        (["claude", "-p", "Do it"], "Do it", None, False),
        (["claude", "Do it", "-p", "--output-format", "stream-json"], "Do it", None, True),
        (["claude", "-p", "--model", "opus", "--output-format=json", "Do it"], "Do it", None, True),
        (["claude", "-p", "Do it", "--allowedTools", "Bash", "Edit"], "Do it", None, False),
        (["claude", "--resume", "abc", "-p", "More"], "More", "abc", False),
        (["claude", "-r", "-p", "More"], "More", None, False),
        (["claude", "-p", "--", "-x is odd"], "-x is odd", None, False),
        (["codex", "exec", "--json", "-m", "gpt-5", "Do it"], "Do it", None, True),
        (["codex", "exec", "resume", "01a1", "--json", "More"], "More", "01a1", True),
        (["codex", "exec", "resume", "--last", "More"], "More", None, False),
        (["codex", "exec", "resume", "01a1"], None, "01a1", False),
        (["codex", "exec", "--json", "-"], None, None, True),
        (["opencode", "run", "--format", "json", "Do", "it"], "Do it", None, True),
        (["opencode", "run", "-s", "ses_1", "More"], "More", "ses_1", False),
        (["kimi", "-p", "Do it", "--output-format", "stream-json"], "Do it", None, True),
        (["kimi", "-S", "session_1", "-p", "More"], "More", "session_1", False),
        (
            ["gemini", "-m", "x", "--output-format", "stream-json", "-p", "Do it"],
            "Do it",
            None,
            True,
        ),
        (["gemini", "-y", "Do", "it"], "Do it", None, False),
        (["qwen", "-o", "stream-json", "Do it"], "Do it", None, True),
        (["amp", "-x", "Do it", "--stream-json"], "Do it", None, True),
        (["amp", "threads", "continue", "T-1", "-x", "More"], "More", "T-1", False),
        (["copilot", "-p", "Do it", "--output-format", "json"], "Do it", None, True),
        (["pi", "--mode", "json", "-p", "Do it"], "Do it", None, True),
        (["claude"], None, None, False),
        ([], None, None, False),
    ],
)
def test_argv(command, prompt, session, streams):
    stream = STREAMS[command[0] if command else "claude"]
    launch = stream.options.read(command)
    assert launch.prompt == prompt
    assert launch.session == session
    assert launch.streams is streams


@given(st.sampled_from(sorted(STREAMS)), st.lists(st.text(max_size=12), max_size=8))
def test_no_argv_raises(agent, words):
    assert STREAMS[agent].options.read([agent, *words]).prompt != "-"


@given(st.text(min_size=1).filter(lambda text: not text.startswith("-")))
def test_a_valued_option_never_gives_its_value_away(value):
    options = Options(valued=names("--model"), optional=names("-d"))
    assert options.read(["agent", "--model", value]).prompt is None
    assert options.read(["agent", "-d", value]).prompt is None
    assert options.read(["agent", "--unknown", value]).prompt == value
