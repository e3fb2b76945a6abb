"""Positron: VS Code's chat sessions in its own folder."""

from ..vscode_copilot.files import ChatSessions
from . import AGENT

PROVIDER = ChatSessions(AGENT)
