"""`dejavu panes`, as data.

Tested in: tests/extensions/panes/test_watcher.py
"""

from dejavu.interfaces.command_line.entry import ALSO, Entry

COMMANDS = {
    "panes": Entry(ALSO, "List and watch agents in panes of multiplexers", "panes"),
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "panes": ("dejavu panes", "dejavu panes --watch"),
}
