from pathlib import Path

import pytest

from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.registration import Edit, edits, registrable_agents
from dejavu.providers import Home
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
