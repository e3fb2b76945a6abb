"""`dejavu wire`, as data.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import MORE, Entry

COMMANDS = {
    "wire": Entry(MORE, "Run an agent and record its requests to the model", "wire", True),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "wire": ("dejavu wire claude",),
}
