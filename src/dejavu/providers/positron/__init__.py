"""Positron: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="positron",
    title="Positron",
    files="files:PROVIDER",
    history="VS Code's chat sessions",
    store=Store(
        form="vscode_copilot.files:ChatSessionParser",
        vscode=(
            "workspaceStorage/*/chatSessions/*.json*",
            "globalStorage/emptyWindowChatSessions/*.json*",
        ),
        editors=("Positron",),
    ),
    observed=False,
)
