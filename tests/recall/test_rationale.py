"""Rationale: written once, resumed, budgeted, never of its own sessions."""

import sys
from pathlib import Path

from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.model import conversation_id
from dejavu.recall import Recall
from dejavu.recall.rationale import MARK, Run, explain, extracted, is_own_prompt, written

LONG = "We keep the timer because the budget would run dry otherwise, as the incident showed us."


def program(tmp_path: Path, code: str) -> list[str]:
    path = tmp_path / "why.py"
    path.write_text(code)
    return [sys.executable, str(path)]


def test_extracted_and_marked_as_such(archive: Archive) -> None:
    archive.put(session("a", (USER, "why?"), (ASSISTANT, f"Hello there. {LONG} Bye now.")))
    assert explain(archive) == Run(1, 0, 0, left=False)
    assert explain(archive) == Run(0, 1, 0, left=False)
    (why,) = written(archive, conversation_id("claude", "local", "a"))
    assert (why.by, why.text, why.seq) == ("extract", LONG, 1)
    assert extracted("Nothing to see here.") == ""


def test_a_command_is_asked_once_a_turn_within_its_budget(archive: Archive, tmp_path: Path) -> None:
    for name in "abc":
        archive.put(session(name, (USER, "why?"), (ASSISTANT, f"{LONG} {name}")))
    command = program(tmp_path, "import sys; t = sys.stdin.read(); print('Since', len(t) > 200)")
    assert explain(archive, command=command, budget=2) == Run(2, 0, 0, left=True)
    assert explain(archive, command=command, budget=2) == Run(1, 2, 0, left=False)
    (why,) = written(archive, conversation_id("claude", "local", "a"))
    assert why.text == "Since True"


def test_failures_end_a_run(archive: Archive, tmp_path: Path) -> None:
    for number in range(6):
        archive.put(session(str(number), (USER, "why?"), (ASSISTANT, LONG)))
    run = explain(archive, command=program(tmp_path, "raise SystemExit(1)"))
    assert run == Run(0, 0, 3, left=True)
    assert explain(archive, command=["/nonexistent"]).failed == 3


def test_a_changed_turn_is_explained_anew(archive: Archive) -> None:
    archive.put(session("a", (USER, "why?"), (ASSISTANT, LONG)))
    explain(archive)
    archive.put(session("a", (USER, "why?"), (ASSISTANT, LONG.replace("timer", "queue"))))
    assert explain(archive).written == 1
    (why,) = written(archive, conversation_id("claude", "local", "a"))
    assert "queue" in why.text


def test_its_own_sessions_are_neither_explained_nor_found(archive: Archive) -> None:
    archive.put(session("own", (USER, f"{MARK} Say why. walrus"), (ASSISTANT, f"{LONG} walrus")))
    assert is_own_prompt(archive, conversation_id("claude", "local", "own"))
    assert explain(archive) == Run(0, 0, 0, left=False)
    assert Recall(archive).search("walrus timer budget") == []
