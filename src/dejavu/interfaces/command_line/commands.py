"""The commands as data: where each is, the help group it stands in, and its one line of help.

`dejavu -h`, completion and the reference are made from this table, so none of them imports the
commands themselves. Imports nothing.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """`module` is one of `interfaces/cli`; its function `command` is the command.

    `passes_on`: options behind the first argument belong to the program that is run.
    """

    group: str
    summary: str
    module: str
    passes_on: bool = False


GROUPS = (
    "Browse", "Code", "Import", "Memory", "Sessions", "Maintenance", "Integrations", "Debugging",
)  # fmt: skip

COMMANDS = {
    "list": Entry("Browse", "List conversations, newest first", "list_"),
    "show": Entry("Browse", "Show one conversation", "show"),
    "search": Entry("Browse", "Search the text of all conversations", "search"),
    "timeline": Entry("Browse", "Show one conversation, one line a turn", "timeline"),
    "stats": Entry("Browse", "Show turns, tokens and cost by agent, model and day", "stats"),
    "export": Entry("Browse", "Write conversations to files or stdout", "export"),
    "blame": Entry("Code", "Show which conversation each line of a file came from", "blame"),
    "fix": Entry("Code", "Show how the same failure was fixed before", "fix"),
    "how": Entry("Code", "Show how a command was called, and what worked", "how"),
    "files": Entry("Code", "List the files that were changed about a topic", "files"),
    "recover": Entry("Code", "Print what a file held before a time or a turn", "recover"),
    "handoff": Entry("Code", "Hand a conversation over to another agent", "handoff"),
    "commit-note": Entry("Code", "Print the conversations of a commit as a trailer", "commit_note"),
    "sync": Entry("Import", "Import what agents keep on this machine", "sync"),
    "import": Entry("Import", "Import exports of chats, trajectories, transcripts", "import_"),
    "agents": Entry("Import", "List every agent, and how much of it lies here", "agents"),
    "rescue": Entry("Import", "Import every agent's history below a folder of homes", "rescue"),
    "ingest": Entry("Import", "Import a stream that an agent printed", "ingest"),
    "wire": Entry("Import", "Run an agent and record its requests to the model", "wire", True),
    "otlp": Entry("Import", "Receive OpenTelemetry from agents and import it", "otlp"),
    "remember": Entry("Memory", "Store a memory", "remember"),
    "recall": Entry("Memory", "Find memories and past exchanges for a prompt", "recall"),
    "memories": Entry("Memory", "List memories, newest first", "memories"),
    "confirm": Entry("Memory", "Raise a memory's confidence by 0.1", "confirm"),
    "reject": Entry("Memory", "Lower a memory's confidence by 0.15", "reject"),
    "forget": Entry("Memory", "Delete memories for good", "forget"),
    "recall-log": Entry("Memory", "List recent recalls or injections", "recall_log"),
    "rationale": Entry("Memory", "Write why each answer was given, and show it", "rationale"),
    "run": Entry("Sessions", "Run an agent wrapped, here or in the background", "run", True),
    "attach": Entry("Sessions", "Show a session in this terminal, and type to it", "attach"),
    "status": Entry("Sessions", "Show what running agents are doing", "status"),
    "panes": Entry("Sessions", "List and watch agents in panes of multiplexers", "panes"),
    "wait": Entry("Sessions", "Wait until sessions reach a state", "wait"),
    "send": Entry("Sessions", "Type text into a wrapped agent", "send"),
    "answer": Entry("Sessions", "Choose in the dialog by which an agent asks", "answer"),
    "interrupt": Entry("Sessions", "Interrupt what an agent is doing", "interrupt"),
    "stop": Entry("Sessions", "End a wrapped agent and its processes", "stop"),
    "acp": Entry(
        "Sessions", "Speak the Agent Client Protocol for an agent, or tap it", "acp", True
    ),
    "serve": Entry("Sessions", "Serve sessions and the archive over HTTP", "serve"),
    "verify": Entry("Maintenance", "Check the archive for damage", "verify"),
    "backup": Entry("Maintenance", "Copy the archive to a folder while it is in use", "backup"),
    "restore": Entry("Maintenance", "Replace the archive with a backup", "restore"),
    "migrate": Entry(
        "Maintenance", "Copy an archive to another folder or server, and check it", "migrate"
    ),
    "reparse": Entry("Maintenance", "Rebuild all turns from the archived raw data", "reparse"),
    "prune": Entry(
        "Maintenance", "Delete conversations, or single turns, from the archive", "prune"
    ),
    "gc": Entry("Maintenance", "Free unused space in the archive", "gc"),
    "team": Entry("Maintenance", "Say who may do what in a team's archive", "team"),
    "secrets": Entry("Maintenance", "List the secrets in the archive, the urgent first", "secrets"),
    "redact": Entry("Maintenance", "Replace secrets in a text or in stored turns", "redact"),
    "init": Entry("Integrations", "Register hooks and the MCP server with agents", "init"),
    "upgrade": Entry("Integrations", "Update registrations to this version", "upgrade"),
    "uninstall": Entry("Integrations", "Remove hooks and MCP server from agents", "uninstall"),
    "mcp": Entry("Integrations", "Serve MCP tools on stdin and stdout", "mcp"),
    "shell-init": Entry(
        "Integrations", "Print shell functions that run agents wrapped", "shell_init"
    ),
    "hook": Entry("Integrations", "Called by agents: capture, answer or guard", "hook"),
    "daemon": Entry("Integrations", "Run the background process for hooks", "daemon"),
    "doctor": Entry("Debugging", "Check the installation and suggest fixes", "doctor"),
    "replay": Entry("Debugging", "Play a recording through screen and scrapers", "replay"),
    "explain": Entry("Debugging", "Show how one screen is read, rule by rule", "explain"),
    "packs": Entry("Debugging", "Propose rules for an agent's screen, and try them", "packs"),
    "capture-screen": Entry("Debugging", "Write a golden case from a session", "capture_screen"),
    "golden": Entry(
        "Debugging", "Write a test of a terminal program from a live session", "golden"
    ),
}
"""The commands in the order in which `dejavu -h` shows them."""
