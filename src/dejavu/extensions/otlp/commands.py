"""`dejavu otlp`, as data.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import MORE, Entry

COMMANDS = {
    "otlp": Entry(MORE, "Receive OpenTelemetry from agents and import it", "otlp"),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "otlp": ("dejavu otlp --port 4318",),
}
