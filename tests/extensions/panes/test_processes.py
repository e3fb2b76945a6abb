import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.factories.waiting import until

from dejavu.extensions.panes.processes import agent_below, agent_of_process, environment_of


@pytest.mark.parametrize(
    ("argv", "agent"),
    [
        (["claude"], "claude"),
        (["kimi-code                 "], "kimi"),
        (["node", "/n/node_modules/.bin/gemini"], "gemini"),
        (["node", "--max-old-space-size=8192", "/n/node_modules/.bin/qwen"], "qwen"),
        (["/n/node_modules/@openai/codex-linux-x64/vendor/x/bin/codex", "-m", "o"], "codex"),
        (["node", "/n/node_modules/@github/copilot/index.js"], "copilot"),
        (["node", "/n/node_modules/@google/gemini-cli/dist/index.js"], "gemini"),
        (["/usr/bin/python3", "-m", "dejavu.interfaces.demo", "--speed", "2"], "demo"),
        (["vim", "claude"], None),
        (["less", "/home/me/codex/README"], None),
        (["tail", "-f", "claude.log"], None),
        (["-bash"], None),
        ([], None),
    ],
)
def test_an_agent_is_known_by_its_command_line(argv: list[str], agent: str | None) -> None:
    assert agent_of_process(argv) == agent


def test_the_agent_below_a_shell_is_found_and_a_wrapped_one_is_not(tmp_path: Path) -> None:
    program = tmp_path / "demo"
    program.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    program.chmod(0o755)
    with subprocess.Popen(["sh", "-c", f"A=1 {program}; true"]) as shell:
        agent = until(lambda: agent_below(shell.pid))
        assert agent.agent == "demo"
        assert abs(agent.started_at - time.time()) < 30
        assert environment_of(agent.pid)["A"] == "1"
        os.kill(agent.pid, 9)
    wrapper = tmp_path / "dejavu-run"
    wrapper.write_text(f"#!/bin/sh\n{program}\ntrue\n")
    wrapper.chmod(0o755)
    with subprocess.Popen([str(wrapper)]) as wrapped:
        child = Path(f"/proc/{wrapped.pid}/task/{wrapped.pid}/children")
        pid = int(until(lambda: child.read_text().split())[0])
        assert agent_below(wrapped.pid) is None
        os.kill(pid, 9)
    assert agent_below(wrapped.pid) is None
