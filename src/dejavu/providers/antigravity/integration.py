"""Antigravity, its command line and its editor: the server in `~/.gemini/config/mcp_config.json`.

Both read that file; older editors read `~/.gemini/antigravity/mcp_config.json`. Source, read in
November 2026: antigravity.google/docs/mcp.

Tested in: tests/integrations/test_registration.py
"""

from pathlib import Path

from ..integration import FileEdit, Integration, JsonServer, server_entry
from ..protocol import Home


def _folder(home: Home) -> Path:
    """The folder of the command line or of the editor, whichever is there."""
    gemini = home.relocated("GEMINI_CLI_HOME", ".gemini")
    names = ("antigravity-cli", "antigravity")
    return next((gemini / name for name in names if (gemini / name).is_dir()), gemini / names[0])


def _servers(home: Home) -> Path:
    return home.relocated("GEMINI_CLI_HOME", ".gemini", "config", "mcp_config.json")


INTEGRATION = Integration(
    folder=_folder,
    edits=(FileEdit(_servers, (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
