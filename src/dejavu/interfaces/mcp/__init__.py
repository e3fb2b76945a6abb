"""MCP over stdio: what agents may ask of memory and history.

Takes tool calls; gives bounded, sanitised JSON. The tools know nothing of the protocol and the
server nothing of the archive. Needs the `mcp` extra.
"""

from .server import serve

__all__ = ["serve"]
