"""The skill names tools that exist, and fits a context."""

import re

from dejavu.interfaces.mcp.server import PROFILES
from dejavu.recall.skill import skill_text


def test_every_tool_it_names_is_there() -> None:
    text = skill_text()
    assert text.startswith("---\nname: dejavu\n")
    assert len(text) < 2_000
    tools = {name for name in re.findall(r"`([a-z_]+)`", text) if "_" in name}
    assert tools <= set(PROFILES["default"][1])
