"""The skill: a file of our own that tells an agent when to look into the past.

Takes a folder of skills; gives the `Edit` that puts ours there. Agents that read such folders find
it by themselves. Source: agentskills.io, read in November 2026.
"""

from pathlib import Path

from dejavu.recall.skill import skill_text

from .json_edit import UnreadableFileError
from .registration import SERVER, Edit

_MARK = f"name: {SERVER}\n"


def skill(folder: Path) -> Edit:
    """Our skill below `folder`."""

    def add(text: str) -> str:
        if text.strip() and _MARK not in text:
            raise UnreadableFileError("somebody else's file")
        return skill_text()

    def remove(text: str, before: str) -> str:
        del before
        return "" if _MARK in text else text

    return Edit(folder / SERVER / "SKILL.md", "skill", add, remove)
