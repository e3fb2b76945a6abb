"""Cursor (editor): everything that is known of this agent but its screen."""

from ..agent import Agent

AGENT = Agent(
    name="cursor-ide",
    title="Cursor (editor)",
    files="files:PROVIDER",
    history="chats of the editor, in its key-value database",
    observed=False,
    unread="chats of its command line in `chats/*/*/store.db` that have no transcript",
    marks=(
        ".config/Cursor",
        ".config/Cursor Nightly",
        "Library/Application Support/Cursor",
        "Library/Application Support/Cursor Nightly",
        ".vscode-server",
    ),
)
