"""What `desk save` noted of a conversation, for its deletion.

Tested in: tests/interfaces/cli/test_delete.py
"""

from .interrupted import erase

__all__ = ["erase"]
