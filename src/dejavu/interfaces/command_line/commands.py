"""The commands as data: the tree that people see, each command's module, and the old names.

A command of a group has two words (`memory add`). Help, completion and the reference are made from
this table, so none of them imports the commands themselves. Extensions add theirs by a module
`commands`.
"""

from types import ModuleType
from typing import NamedTuple

from dejavu.config.extensions import parts

from .entry import HISTORY, MORE, RUNNING, SETUP, Entry


class Line(NamedTuple):
    """A command line: the command (empty where there is none of that name), the rest, the old name."""

    name: str
    words: list[str]
    old: str = ""


GROUPS = {
    "memory": "Keep facts and decisions, and find them again",
    "archive": "Check, copy, shrink and rebuild the archive",
    "secrets": "List and mask secrets in the archive",
}

COMMANDS = {
    "sync": Entry(HISTORY, "Import what agents keep on this machine", "sync"),
    "list": Entry(HISTORY, "List conversations, newest first", "list_"),
    "show": Entry(HISTORY, "Show one conversation", "show"),
    "search": Entry(HISTORY, "Search the text of all conversations", "search"),
    "resume": Entry(HISTORY, "Resume a conversation in its agent, restored if it's gone", "resume"),
    "export": Entry(HISTORY, "Write conversations to files or stdout", "export"),
    "stats": Entry(HISTORY, "Show turns, tokens and cost by agent, model and day", "stats"),
    "delete": Entry(HISTORY, "Delete conversations from the archive", "delete"),
    "import": Entry(HISTORY, "Import exports of chats, trajectories, transcripts", "import_"),
    "run": Entry(RUNNING, "Run an agent wrapped, here or in the background", "run", True),
    "status": Entry(RUNNING, "Show what running agents are doing", "status"),
    "attach": Entry(RUNNING, "Show a session in this terminal, and type to it", "attach"),
    "send": Entry(RUNNING, "Send text to a running agent", "send"),
    "answer": Entry(RUNNING, "Answer an agent's question", "answer"),
    "wait": Entry(RUNNING, "Wait until sessions reach a state", "wait"),
    "stop": Entry(RUNNING, "End a running agent and its processes", "stop"),
    "init": Entry(SETUP, "Register hooks and the MCP server with agents", "init"),
    "uninstall": Entry(SETUP, "Remove hooks and MCP server from agents", "uninstall"),
    "doctor": Entry(SETUP, "Check the installation and suggest fixes", "doctor"),
    "memory add": Entry("memory", "Store a memory", "remember"),
    "memory find": Entry("memory", "Find memories and past exchanges for a prompt", "recall"),
    "memory list": Entry("memory", "List memories, newest first", "memories"),
    "memory confirm": Entry("memory", "Mark a memory as right", "confirm"),
    "memory reject": Entry("memory", "Mark a memory as wrong", "reject"),
    "memory forget": Entry("memory", "Delete memories for good", "forget"),
    "memory log": Entry("memory", "List recent recalls or injections", "recall_log"),
    "memory why": Entry("memory", "Write why each answer was given, and show it", "rationale"),
    "archive verify": Entry("archive", "Check the archive for damage", "verify"),
    "archive backup": Entry("archive", "Copy the archive to a folder while it is in use", "backup"),
    "archive restore": Entry("archive", "Replace the archive with a backup", "restore"),
    "archive migrate": Entry(
        "archive", "Copy an archive to another folder or server, and check it", "migrate"
    ),
    "archive reparse": Entry("archive", "Rebuild all turns from the archived raw data", "reparse"),
    "archive compact": Entry("archive", "Free unused space in the archive", "gc"),
    "archive prune": Entry(
        "archive", "Delete conversations, or single turns, from the archive", "prune"
    ),
    "secrets list": Entry(
        "secrets", "List the secrets in the archive, the urgent first", "secrets"
    ),
    "secrets mask": Entry("secrets", "Mask secrets in stored turns", "secrets_mask"),
    "undelete": Entry(MORE, "Put a deleted conversation back where its agent looks", "undelete"),
    "screen": Entry(MORE, "Print the screen of a running session", "screen"),
    "shell-init": Entry(MORE, "Print shell functions that run agents wrapped", "shell_init"),
    "mcp": Entry(MORE, "Serve MCP tools on stdin and stdout", "mcp"),
    "hook": Entry(MORE, "Called by agents: capture, answer or guard", "hook"),
    "daemon": Entry(MORE, "Run the background process for hooks", "daemon"),
    "ingest": Entry(MORE, "Import a stream that an agent printed", "ingest"),
    "redact": Entry(MORE, "Replace secrets in a text or in stored turns", "redact"),
    "replay": Entry(MORE, "Play a recording through screen and scrapers", "replay"),
    "explain": Entry(MORE, "Show how one screen is read, rule by rule", "explain"),
    "packs": Entry(MORE, "Propose rules for an agent's screen, and try them", "packs"),
    "capture-screen": Entry(MORE, "Write a golden case from a session", "capture_screen"),
}
"""The commands in the order in which help shows them."""

OLD_NAMES = {
    "timeline": "show --oneline",
    "remember": "memory add",
    "recall": "memory find",
    "memories": "memory list",
    "confirm": "memory confirm",
    "reject": "memory reject",
    "forget": "memory forget",
    "recall-log": "memory log",
    "rationale": "memory why",
    "rescue": "sync --homes",
    "interrupt": "send --interrupt",
    "upgrade": "init --upgrade",
    "agents": "doctor --agents",
    "verify": "archive verify",
    "backup": "archive backup",
    "restore": "archive restore",
    "migrate": "archive migrate",
    "reparse": "archive reparse",
    "gc": "archive compact --no-compact",
    "prune": "archive prune",
    "secrets": "secrets list",
}
"""Names that still work, and what each is now."""

_HELP = {"-h", "--help"}


def _join(extension: ModuleType) -> None:
    folder = f"{extension.__package__}.cli."
    for name, entry in extension.COMMANDS.items():
        COMMANDS[name] = entry._replace(module=folder + entry.module)
    GROUPS.update(getattr(extension, "GROUPS", {}))
    OLD_NAMES.update(getattr(extension, "OLD_NAMES", {}))


for _extension in parts("commands"):
    _join(_extension)


def find(words: list[str]) -> Line:
    """The command that a line names, at once under its new name.

    A group alone, or with a word that is none of its commands, is no command.
    """
    first, rest = words[0], words[1:]
    if rest and f"{first} {rest[0]}" in COMMANDS:
        return Line(f"{first} {rest[0]}", rest[1:])
    if first in COMMANDS:
        return Line(first, rest)
    if first not in OLD_NAMES or (first in GROUPS and _HELP & set(rest)):
        return Line("", words)
    new = OLD_NAMES[first].split()
    return find([*new, *rest])._replace(old=first)


def in_group(group: str) -> dict[str, Entry]:
    """The commands below a heading or in a group, by name."""
    return {name: entry for name, entry in COMMANDS.items() if entry.heading == group}
