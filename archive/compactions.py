"""Where an archived conversation was compacted. Costs a reading of its turns.

Tested in: tests/services/undelete/test_compaction.py
"""

from dejavu.model import NotFoundError
from dejavu.model.compaction import Compaction, compactions

from .store import Archive


def last_compaction(archive: Archive, conversation: str) -> Compaction:
    """The last compaction that has turns before it.

    Raises:
        NotFoundError: the conversation is unknown, or nothing says that it was compacted.
    """
    found = [one for one in compactions(archive.turns(conversation)) if one.seq]
    if not found:
        raise NotFoundError(f"nothing says that the agent compacted {conversation}")
    return found[-1]
