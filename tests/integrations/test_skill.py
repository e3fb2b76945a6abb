from pathlib import Path

import pytest

from dejavu.integrations.json_edit import UnreadableFileError
from dejavu.integrations.skill import skill
from dejavu.recall.skill import skill_text


def test_the_skill_is_a_file_of_our_own(tmp_path: Path) -> None:
    edit = skill(tmp_path)
    assert edit.path == tmp_path / "dejavu" / "SKILL.md"
    assert edit.add("") == edit.add(edit.add("")) == skill_text()
    assert edit.remove(skill_text(), "") == ""


def test_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    edit = skill(tmp_path)
    with pytest.raises(UnreadableFileError):
        edit.add("---\nname: other\n---\n")
    assert edit.remove("---\nname: other\n---\n", "") == "---\nname: other\n---\n"
