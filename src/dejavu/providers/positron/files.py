"""Positron: VS Code's chat sessions in its own folder.

Tested in: tests/providers/test_recordings.py
"""

from ..vscode_copilot.files import ChatSessions
from . import AGENT

PROVIDER = ChatSessions(AGENT)
