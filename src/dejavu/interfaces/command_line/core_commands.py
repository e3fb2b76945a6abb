"""The core's commands as data: the tree that people see, each command's module, and the old names.

A command of a group has two words (`memory add`). `commands` adds those of the extensions. Must not
import anything but `entry`: every `dejavu` line reads this table.

Tested in: tests/interfaces/command_line/test_commands.py
"""

from .entry import ALSO, HISTORY, MORE, RUNNING, SETUP, Entry, Table

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
    "memory confirm": Entry("memory", "Mark a memory or a recalled answer as right", "confirm"),
    "memory reject": Entry(
        "memory", "Mark a memory or a recalled answer as wrong", "confirm:reject"
    ),
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
        "secrets", "List the secrets in the archive, most urgent first", "secrets"
    ),
    "secrets mask": Entry("secrets", "Mask secrets in stored turns", "secrets_mask"),
    "star": Entry(ALSO, "Star conversations, to find them again", "star"),
    "tag": Entry(ALSO, "Tag a conversation, or list all tags", "tag"),
    "rename": Entry(ALSO, "Give a conversation a title of your own", "rename"),
    "undelete": Entry(ALSO, "Put a deleted conversation back where its agent looks", "undelete"),
    "screen": Entry(ALSO, "Print the screen of a running session", "screen"),
    "shell-init": Entry(ALSO, "Print shell functions that run agents wrapped", "shell_init"),
    "pick": Entry(MORE, "Choose a conversation or a past prompt", "pick"),
    "mcp": Entry(MORE, "Serve MCP tools on stdin and stdout", "mcp"),
    "hook": Entry(MORE, "Called by agents: capture, inject, guard or assist", "hook"),
    "daemon": Entry(MORE, "Run the background process for hooks", "daemon"),
    "redact": Entry(MORE, "Replace secrets in a text or in stored turns", "redact"),
    "replay": Entry(MORE, "Play a recording and show what is read from it", "replay"),
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
    "ingest": "import -",
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

CORE = Table(COMMANDS, GROUPS, OLD_NAMES)
