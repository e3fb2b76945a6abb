"""`dejavu desk`, as data.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import ALSO, Entry

COMMANDS = {
    "desk": Entry(ALSO, "List agents that a crash or reboot ended, and restart them", "desk"),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "desk": ("dejavu desk", "dejavu desk restore", "dejavu desk save"),
}
