"""MCP over stdio: what agents may ask of memory and history, as bounded, sanitised JSON.

The tools know nothing of the protocol and the server nothing of the archive. Needs the extra `mcp`.
"""

from .server import serve

__all__ = ["serve"]
