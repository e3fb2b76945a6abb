"""Star, tags and title as a person types them: checked, redacted, and given to the archive.

The command line, the browser and the page change marks here. Must not: print.

Tested in: tests/interfaces/cli/test_rename.py
"""

import re

from dejavu.archive import Archive
from dejavu.archive.marks import MarkChange
from dejavu.model import InvalidValueError
from dejavu.redact.sanitise import sanitise

_TAG = re.compile(r"[^\W_][\w./-]*")
_LONGEST_TAG = 40
_LONGEST_TITLE = 200


def tag_name(text: str) -> str:
    """A tag as it is kept: lower case, without the `+` or `#` that people write before it.

    Raises:
        InvalidValueError: it is no word, or holds what looks like a secret.
    """
    tag = text.strip().lstrip("+#").casefold()
    if len(tag) > _LONGEST_TAG or not _TAG.fullmatch(tag):
        raise InvalidValueError(
            f"{text[:60]!r} cannot be a tag: letters, digits and ._/- (at most {_LONGEST_TAG})"
        )
    if any(_redacted(one) != one for one in (tag, text)):  # a rule may know capitals alone
        raise InvalidValueError("a tag cannot hold a secret")
    return tag


def title_text(text: str) -> str:
    """A title as it is kept: one line, without secrets, at most 200 characters."""
    line = " ".join(sanitise(_redacted(text), newlines=False).split())
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…"


def star(archive: Archive, conversation: str, *, starred: bool = True) -> bool:
    """Star a conversation, or take the star away; True if that changed it."""
    return archive.mark(conversation, MarkChange(starred=starred))


def tag(
    archive: Archive, conversation: str, add: list[str], remove: list[str] | None = None
) -> bool:
    """Add and remove tags; True if that changed any.

    Raises:
        InvalidValueError: one cannot be a tag; nothing was changed.
    """
    added, removed = (frozenset(map(tag_name, names)) for names in (add, remove or []))
    return archive.mark(conversation, MarkChange(add=added, remove=removed))


def rename(archive: Archive, conversation: str, title: str) -> bool:
    """Give a conversation a title; an empty one gives back the agent's. True if it changed."""
    return archive.mark(conversation, MarkChange(title=title_text(title)))


def _redacted(text: str) -> str:
    from dejavu.archive.redactor import archive_redactor  # lists only check the names of tags

    return archive_redactor().redact(text)
