"""All telemetry together."""

from pathlib import Path

import pytest
from benchmarks.providers import vectors

from dejavu.providers import TELEMETRY
from dejavu.providers.formats.otlp import agent_of

REPO = Path(__file__).resolve().parents[4]


def _from(service):
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [{}]}]}]}


@pytest.mark.parametrize(
    ("service", "agent"),
    [("claude-code", "claude"), ("codex_exec", "codex"), ("codex_cli_rs", "codex"),
     ("gemini-cli", "gemini"), ("qwen-code", "qwen"), ("compose", None)],
)  # fmt: skip
def test_the_sender_is_known_by_its_service(service, agent):
    assert agent_of(_from(service)) == agent


def test_each_agent_stands_under_its_name():
    assert all(one.agent == agent for agent, one in TELEMETRY.items())


@pytest.mark.shared
@pytest.mark.parametrize("run", ["tour-120x40", "tour-headless", "tools-120x40"])
def test_recordings_give_what_their_exports_carry(run, shared):
    result = vectors.measure(shared / "data/recordings/claude" / run)["otlp"]
    for kind in ("prompt", "call"):
        assert result[kind][0] == result[kind][1], (kind, result["missed"])
    assert not [text for kind, text in result["missed"] if kind == "answer"]
    assert result["reasoning"][0] == 0
    assert result["twice"] == 0
