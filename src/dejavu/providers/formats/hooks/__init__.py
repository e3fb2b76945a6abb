"""Hooks: what agents hand to programs at points of their life, as turns and as status.

Takes payloads; gives the same updates as a session file's parser, every turn with vector `hook`,
and what a payload says of the agent's state. Runs no hook and installs none.
"""

from .protocol import Hook, Status, encode_entry

__all__ = ["Hook", "Status", "encode_entry"]
