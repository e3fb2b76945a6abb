"""Write `interfaces/mcp/tools.json`, the tools of every MCP profile, from the methods' signatures.

    python tools/mcp_tools.py

`dejavu mcp` reads it instead of importing what the tools need; a test holds the two together.
"""

import json

from dejavu.interfaces.mcp.server import PROFILES, tool_list
from dejavu.interfaces.mcp.stdio import LIST


def text() -> str:
    """Return the file's content."""
    return json.dumps({profile: tool_list(profile) for profile in PROFILES}, indent=1) + "\n"


if __name__ == "__main__":
    LIST.write_text(text(), "utf-8")
