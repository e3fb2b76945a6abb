"""Smallest inputs of faults that were found by trying the program read as their table says."""

import json
from pathlib import Path

import pytest

from dejavu.model import Role
from dejavu.scrapers import SessionReader, State, pending_on_screen, read
from dejavu.screen import Snapshot

pytestmark = pytest.mark.shared


@pytest.mark.parametrize(
    ("file", "agent", "state", "pending"),
    [
        ("claude-tip-wrapped-working", "claude", State.WORKING, {}),
        ("claude-tip-control-working", "claude", State.WORKING, {}),
        ("amp-approval-blocked-160x50", "amp", State.BLOCKED, {}),
        ("claude-background-shell", "claude", State.IDLE, {"shell": 1}),
        ("codex-queued-follow-ups", "codex", State.WORKING, {"queued": 1}),
        ("pi-current-working", "pi", State.WORKING, {}),
    ],
)
def test_a_screen(
    shared: Path, file: str, agent: str, state: State, pending: dict[str, int]
) -> None:
    rows = (shared / "data" / "repro" / f"{file}.txt").read_text("utf-8").splitlines()
    reading = read(agent, Snapshot.from_rows(rows))
    assert reading.state is state
    found = {entry.kind: entry.count for entry in pending_on_screen(reading.layout)}
    assert {kind: found.get(kind) for kind in pending} == pending


def test_a_prompt_with_a_blank_line_is_one_turn(shared: Path) -> None:
    cast = shared / "data" / "repro" / "opencode-prompt-with-blank-line.cast"
    with cast.open(encoding="utf-8") as lines:
        header = json.loads(next(lines))
        reader = SessionReader("opencode", header["width"], header["height"])
        at = 0.0
        for line in lines:
            at, kind, data = json.loads(line)
            if kind == "o":
                reader.output(data.encode(), at)
    reader.exit(0, at + 1)
    prompts = [turn.text for turn in reader.turns if turn.role is Role.USER]
    assert len(prompts) == 1
    assert len(prompts[0].split("\n\n")) == 2
