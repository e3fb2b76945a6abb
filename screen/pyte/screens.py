"""The names of `pyte.screens`.

Tested in: tests/screen/test_pyte.py
"""

from pyte.screens import Char, Margins

from .events import DiffScreen, Screen
from .history import History, HistoryScreen
from .state import Cursor, Savepoint

__all__ = [
    "Char",
    "Cursor",
    "DiffScreen",
    "History",
    "HistoryScreen",
    "Margins",
    "Savepoint",
    "Screen",
]
