"""The group `dejavu code`, as data.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from dejavu.interfaces.command_line.entry import ALSO, Entry

GROUPS = {
    "code": "Ask what agents changed in your files, and why",
}

COMMANDS = {
    "at": Entry(ALSO, "Show conversations and files as they were at one moment", "at"),
    "code blame": Entry("code", "Show which conversation each line of a file came from", "blame"),
    "code fix": Entry("code", "Show how the same failure was fixed before", "fix"),
    "code how": Entry("code", "Show how a command was called, and what worked", "how"),
    "code files": Entry("code", "List files changed for a topic, or in a conversation", "files"),
    "code recover": Entry("code", "Print what a file held before a time or a turn", "recover"),
    "code handoff": Entry("code", "Hand a conversation over to another agent", "handoff"),
    "code commit": Entry("code", "Print the conversations of a commit as a trailer", "commit_note"),
}

OLD_NAMES = {
    "blame": "code blame",
    "fix": "code fix",
    "how": "code how",
    "files": "code files",
    "recover": "code recover",
    "handoff": "code handoff",
    "commit-note": "code commit",
}

EXAMPLES: dict[str, tuple[str, ...]] = {
    "at": ("dejavu at now", "dejavu at now last --json"),
    "code blame": ("dejavu code blame src/orders.py", "dejavu code blame src/orders.py:1-20"),
    "code fix": ("dejavu code fix", "dejavu code fix \"ModuleNotFoundError: No module named 'x'\""),
    "code how": ("dejavu code how grep",),
    "code files": ("dejavu code files retry budget",),
    "code recover": ("dejavu code recover src/orders.py --at 2d",),
    "code handoff": ("dejavu code handoff last", "dejavu code handoff last --to codex"),
    "code commit": (
        "dejavu code commit",
        "dejavu code commit HEAD --list",
        "dejavu code commit --hook",
    ),
}
