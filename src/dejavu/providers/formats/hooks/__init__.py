"""Hooks: what agents hand to programs at points of their life, as turns and as status.

Parses payloads into the same updates as a session file's parser, every turn with vector `hook`, and
reads from a payload what it says of the agent's state. Runs no hook and installs none.
"""

from .protocol import Hook, Status, encode_entry

__all__ = ["Hook", "Status", "encode_entry"]
