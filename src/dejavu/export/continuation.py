"""Which conversation continues which, by the first line of a hand-over. O(conversations given).

Tested in: tests/extensions/code/test_brief.py
"""

import re
from collections.abc import Iterable
from contextlib import suppress

from dejavu.archive import Archive
from dejavu.model import Conversation, DejavuError

MARK = "Hand-over from conversation"
_MARKED = rf"# {MARK} ([a-z2-7]{{16}}) \("


def continued_from(prompt: str) -> str | None:
    """The conversation that a first prompt says it continues; None where it says none."""
    if MARK not in prompt:
        return None
    match = re.search(_MARKED, prompt)
    return None if match is None else match[1]


def continuations(archive: Archive, summaries: Iterable[Conversation]) -> dict[str, str]:
    """The conversations that go on with another one in the archive, and which."""
    chain: dict[str, str] = {}
    for name, prompt in archive.first_prompts([one.id for one in summaries]).items():
        source = continued_from(prompt)
        if source is not None and source != name:
            with suppress(DejavuError):  # an unknown id
                chain[name] = archive.summary(source).id
    return chain
