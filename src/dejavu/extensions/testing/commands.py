"""`dejavu golden`, as data.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import MORE, Entry

COMMANDS = {
    "golden": Entry(MORE, "Write a test of a terminal program from a live session", "golden"),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "golden": ("dejavu golden record -- ./my-program",),
}
