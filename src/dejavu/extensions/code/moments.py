"""What a conversation and its files were at one moment, as data for pages of other extensions.

Tested in: tests/extensions/code/test_moment.py
"""

from typing import Any

from dejavu.archive import Archive
from dejavu.model import Conversation

from .index import EditIndex
from .moment import document, moment


def moment_document(archive: Archive, conversation: Conversation, at: float) -> dict[str, Any]:
    """The document of `dejavu at --json` for one conversation. at: Unix seconds.

    Raises:
        NotFoundError: it had not begun.
    """
    with EditIndex(archive) as index:
        index.catch_up()
        return document(moment(archive, index, conversation, at))
