"""CodeBuddy Code: the memory's hook in `settings.json`, the server in `.mcp.json`.

Hooks have Claude Code's form; timeouts are seconds. Of the files with servers the first that exists
is read, so ours goes into that one. Source, read in November 2026: codebuddy.ai/docs/cli/hooks, /mcp.

Tested in: tests/integrations/test_registration.py
"""

from pathlib import Path

from ..integration import FileEdit, HookGroups, Integration, JsonServer, server_entry
from ..protocol import Home


def _folder(home: Home) -> Path:
    return home.folder("CODEBUDDY_CONFIG_DIR", ".codebuddy")


def _servers(home: Home) -> Path:
    """The file its servers are read from."""
    folder = _folder(home)
    names = (folder / ".mcp.json", folder / "mcp.json", home.path / ".codebuddy.json")
    return next((path for path in names if path.exists()), names[0])


INTEGRATION = Integration(
    folder=_folder,
    edits=(
        FileEdit("settings.json", (HookGroups((), "UserPromptSubmit", {"timeout": 5}),)),
        FileEdit(_servers, (JsonServer("mcpServers", server_entry(type="stdio")),)),
    ),
    note="CodeBuddy runs new hooks only once you approve them: open /hooks there",
    assist_limits="only its prompt hook is registered",
)
