"""Copilot Chat: everything that is known of this agent but its screen."""

from ..agent import Agent, Store

AGENT = Agent(
    name="vscode-copilot",
    title="Copilot Chat",
    files="files:PROVIDER",
    history="the chat sessions of VS Code",
    store=Store(
        form="vscode_copilot.files:ChatSessionParser",
        vscode=(
            "workspaceStorage/*/chatSessions/*.json*",
            "globalStorage/emptyWindowChatSessions/*.json*",
        ),
        editors=("Code", "Code - Insiders", "VSCodium"),
    ),
    observed=False,
    integration="server",
)
