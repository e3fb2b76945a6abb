"""Real agents beside their weaker vectors: the proxy and the telemetry receiver, live.

The whole table, agent by vector, is `benchmarks/providers/vectors_rig.py`'s.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rigrun import BIN, Run
from tests.e2e.test_capture import answers, said

pytestmark = [pytest.mark.e2e, pytest.mark.shared]


def mains(run: Run) -> list[dict[str, Any]]:
    """The conversations that are nobody's sub-agent, the oldest first."""
    heads = [head for head in run.dejavu("list")["conversations"] if head["parent"] is None]
    return [run.dejavu("show", head["id"]) for head in reversed(heads)]


def once(run: Run, shown: list[dict[str, Any]]) -> None:
    """Every prompt and answer is there, once."""
    asked = [text for one in shown for text in said(one, "user")]
    spoken = [text for one in shown for text in said(one, "assistant")]
    assert sorted(asked) == sorted(turn["user"] for turn in run.truth["turns"])
    for answer in answers(run.truth):
        assert spoken.count(answer) == 1, answer


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "qwen"])
def test_the_proxy_doubles_nothing_and_adds_what_was_sent(
    agent: str, rig: Callable[..., Run], tmp_path: Path
) -> None:
    wrap = f"{BIN / 'dejavu'} wire --"
    homes = [f"DEJAVU_{name}_HOME={tmp_path / name.lower()}" for name in ("DATA", "STATE")]
    options = ("--headless", "--wrap", wrap, "--env", homes[0], "--env", homes[1])
    run = rig(agent, "hello", options=options)
    shown = mains(run)
    once(run, shown)
    assert all("native" in one["vectors"] for one in shown)
    below = [head for head in run.dejavu("list")["conversations"] if head["parent"] is not None]
    assert {one["id"] for one in shown} <= {head["parent"] for head in below}


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[tuple[dict[str, Any], Callable[[], None]]]:
    """What `dejavu otlp` prints, and a way to end it."""
    homes = {f"DEJAVU_{name}_HOME": str(tmp_path / name.lower()) for name in ("DATA", "STATE")}
    process = subprocess.Popen(
        [str(BIN / "dejavu"), "otlp", "--port", "0", "--json"],
        stdout=subprocess.PIPE, env={**os.environ, **homes},
    )  # fmt: skip
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    while b'"endpoint"' not in b"".join(lines) or not _whole(lines):
        lines.append(process.stdout.readline())

    def end() -> None:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0

    yield json.loads(b"".join(lines)), end
    process.stdout.close()
    if process.poll() is None:
        process.kill()
        process.wait()


def _whole(lines: list[bytes]) -> bool:
    try:
        json.loads(b"".join(lines))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("agent", ["claude", "gemini", "qwen"])
def test_what_the_printed_variables_export_is_kept(
    agent: str, rig: Callable[..., Run], receiver: tuple[dict[str, Any], Callable[[], None]]
) -> None:
    told, end = receiver
    options = ["--headless"]
    for name, value in told["settings"][agent].items():
        options += ["--env", f"{name}={value}"]
    run = rig(agent, "hello", options=tuple(options))
    end()
    shown = mains(run)
    once(run, shown)
    assert all(one["vectors"] == ["otlp"] for one in shown)
