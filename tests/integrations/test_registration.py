import json
from pathlib import Path
from typing import Any

import pytest

from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.launcher import Guard
from dejavu.integrations.registration import Edit, edits, installed_guard, registrable_agents
from dejavu.providers import INTEGRATIONS, Home
from dejavu.recall.skill import skill_text


def _skill(home: Path) -> Edit:
    (edit,) = (edit for edit in edits("claude", Home(home, {})) if edit.what == "skill")
    return edit


def test_agents_are_listed_by_name() -> None:
    assert registrable_agents() == sorted(registrable_agents())
    assert "claude" in registrable_agents()


def test_no_placeholder_is_left(home: Path) -> None:
    for agent in registrable_agents():
        for edit in edits(agent, Home(home, {})):
            assert "{launcher}" not in edit.add("")


def test_the_skill_is_a_file_of_our_own(home: Path) -> None:
    edit = _skill(home)
    assert edit.path == home / ".claude" / "skills" / "dejavu" / "SKILL.md"
    assert edit.add("") == edit.add(edit.add("")) == skill_text()
    assert edit.remove(skill_text(), "") == ""


def test_somebody_elses_is_left_alone(home: Path) -> None:
    edit = _skill(home)
    with pytest.raises(UnreadableFileError):
        edit.add("---\nname: other\n---\n")
    assert edit.remove("---\nname: other\n---\n", "") == "---\nname: other\n---\n"


GUARDED = [agent for agent in registrable_agents() if INTEGRATIONS[agent].guard_event]


@pytest.mark.parametrize("agent", GUARDED)
@pytest.mark.parametrize("guard", [Guard.CLOSED, Guard.OPEN])
def test_a_guard_is_put_in_kept_and_taken_out_again(agent: str, guard: Guard, home: Path) -> None:
    at = Home(home, {})
    before = {edit.path: edit.add("") for edit in edits(agent, at)}
    texts = {edit.path: edit.add(before[edit.path]) for edit in edits(agent, at, guard)}
    assert sum("hook guard" in text for text in texts.values()) == 1
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert installed_guard(agent, at) is guard
    assert {edit.path: edit.add(texts[edit.path]) for edit in edits(agent, at)} == texts
    out = {edit.path: edit.add(texts[edit.path]) for edit in edits(agent, at, Guard.OFF)}
    assert _values(out) == _values(before)  # agents do not mind the order of their settings
    for edit in edits(agent, at, guard):
        assert edit.remove(texts[edit.path], "").strip() in ("", "{}")


def _values(texts: dict[Path, str]) -> list[Any]:
    return [json.loads(t) if p.suffix == ".json" else t for p, t in texts.items()]


def test_the_guard_stands_in_the_place_of_the_capture(home: Path) -> None:
    [hooks, *_] = edits("claude", Home(home, {}), Guard.CLOSED)
    [group] = json.loads(hooks.add(""))["hooks"]["PostToolUse"]
    [entry] = group["hooks"]
    assert entry["command"].endswith("hook guard --agent claude")
