"""The group `dejavu team`, as data.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import Entry

GROUPS = {"team": "Say who may do what in a team's archive"}

COMMANDS = {"team": Entry("team", "Say who may do what in a team's archive", "team")}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "team": ("dejavu team status", "dejavu team invite ann writer"),
}
