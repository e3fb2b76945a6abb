"""MCP over stdio: what agents may ask of memory and history, as bounded, sanitised JSON.

The tools know nothing of the protocol and the protocol nothing of the archive.
"""

from .stdio import serve

__all__ = ["serve"]
