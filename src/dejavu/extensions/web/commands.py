"""The page and the HTTP server, as commands.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import MORE, SETUP, Entry

COMMANDS = {
    "web": Entry(SETUP, "Open the web page of sessions and conversations", "web"),
    "serve": Entry(MORE, "Serve sessions and the archive over HTTP", "serve"),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "web": ("dejavu web", "dejavu web --port 8090 --no-open"),
    "serve": ("dejavu serve", "dejavu serve --port 8090"),
}
