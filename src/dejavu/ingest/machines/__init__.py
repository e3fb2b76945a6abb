"""Other machines: what agents keep in a home over ssh, or in a container, read without changing it.

A machine lists the files below the agents' folders and copies those that differ into a mirror in
our state folder; the mirror is then synced like any home, under the machine's name as instance.
Nothing is installed or written there. Costs one listing, and the files that changed.
"""

from .address import Address, parse_address
from .sync_machine import sync_machine

__all__ = ["Address", "parse_address", "sync_machine"]
