"""`dejavu acp`, as data.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import MORE, Entry

COMMANDS = {
    "acp": Entry(MORE, "Speak the Agent Client Protocol for an agent, or tap it", "acp", True),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "acp": ("dejavu acp claude", "dejavu acp --tap -- gemini"),
}
