"""Agents' own traces, read: takes homes, gives turns; one module an agent.

Finds session files and databases, follows what is appended or edited, and parses the bytes into
conversations. Never writes into an agent's folder, never talks to a network.
"""

from .api import Cursor, Delta, Home, Kind, Parser, Provider, Source, Update
from .parsing import StaleState
from .registry import PROVIDERS

__all__ = [
    "PROVIDERS",
    "Cursor",
    "Delta",
    "Home",
    "Kind",
    "Parser",
    "Provider",
    "Source",
    "StaleState",
    "Update",
]
