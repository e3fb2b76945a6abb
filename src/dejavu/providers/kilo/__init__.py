"""Kilo Code: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="kilo",
    title="Kilo Code",
    executables=("kilo",),
    install="npm install -g @kilocode/cli",
    resume=("kilo", "-s"),
    begin=("kilo", "--prompt"),
    files="files:PROVIDER",
    history="OpenCode's database, and the tasks of older versions of the extension",
    store=Store(
        form="cline.files:ClineParser",
        vscode=("globalStorage/kilocode.kilo-code/tasks/*/api_conversation_history.json",),
        native=1,
    ),
    tested="7.7.7",
    marks=("data:kilo",),
    moved_by=("KILO_DB", "XDG_DATA_HOME"),
    integration="integration:INTEGRATION",
)
