"""What a wrapped agent said is in the archive afterwards."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rigrun import Run

pytestmark = [pytest.mark.e2e, pytest.mark.shared]


def plain(text: str) -> list[str]:
    """Lines without markdown marks and with white space folded; a table's rules are no lines."""
    lines = []
    for line in text.splitlines():
        line = re.sub(r"^\s*(#+|[-*+]|\d+\.|>|```\w*)\s+", "", line)
        line = re.sub(r"[*_`]|^```\w*$", "", line)
        line = re.sub(r"[|─│┌┐└┘├┤┬┴┼]|-{3,}", " ", line)
        if folded := " ".join(line.split()):
            lines.append(folded)
    return lines


def said(conversation: dict[str, Any], role: str) -> list[str]:
    return [
        part["content"]
        for turn in conversation["turns"]
        if turn["role"] == role
        for part in turn["parts"]
        if part["type"] == "text"
    ]


def answers(truth: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for turn in truth["turns"]:
        for reply in turn.get("played", []):
            if "error" not in reply:
                texts = [block["text"] for block in reply["blocks"] if "text" in block]
                found += [text for text in texts if text not in found]
    return found


def line_f1(want: list[str], got: list[str]) -> float:
    """F1 over lines as a multiset: a line twice that was said once costs precision."""
    left, hits = list(want), 0
    for line in got:
        if line in left:
            left.remove(line)
            hits += 1
    return 0.0 if not hits else 2 * hits / (len(want) + len(got))


def test_claude_is_captured_from_its_own_file(rig: Callable[..., Run]) -> None:
    run = rig("claude", wrap=[])
    shown = run.shown()
    assert shown["vectors"] == ["native"]
    prompts = [turn["user"] for turn in run.truth["turns"]]
    assert said(shown, "user") == prompts
    spoken = said(shown, "assistant")
    for answer in answers(run.truth):
        assert spoken.count(answer) == 1, answer


def test_amp_is_captured_from_its_screen_alone(rig: Callable[..., Run], tmp_path: Path) -> None:
    # Its threads go where nobody looks, as if the folder had been removed.
    hidden = f"XDG_DATA_HOME={tmp_path}/hidden"
    run = rig("amp-old", wrap=["--screen", "--agent", "amp", "--", "env", hidden])
    shown = run.shown()
    assert shown["vectors"] == ["screen"]
    for role, want in (
        ("user", [turn["user"] for turn in run.truth["turns"]]),
        ("assistant", answers(run.truth)),
    ):
        got = [line for text in said(shown, role) for line in plain(text)]
        score = line_f1([line for text in want for line in plain(text)], got)
        assert score >= 0.90, f"{role}: line-F1 {score:.3f}"
    prompts = said(shown, "user")
    assert len(prompts) == len(set(prompts))
