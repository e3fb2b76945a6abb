"""The frame of every page: head, policy, style, landmarks, and the mark that says what it shows.

Pages are written piece by piece, so that a long conversation is never one string. The policy
forbids everything but the inline style and inline pictures: no script runs and no request leaves
the page, whatever is in it.

`fingerprint` and `is_current` make an export incremental: a page carries, in its first
`HEAD_BYTES` bytes, what its conversation looked like when it was written.
"""

import json
from collections.abc import Iterable, Iterator

import msgspec
from markupsafe import Markup

from dejavu.model import Conversation
from dejavu.model.blake2 import blake2b

from .markup import tag
from .style import STYLE

HEAD_BYTES = 512
"""The mark is within so many bytes from the beginning of a page."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_DOCTYPE = Markup("<!doctype html>\n")
_FORM = 3
"""Raised when pages come out differently, so that older ones are written again."""


def fingerprint(conversation: Conversation, revision: int | str = 0) -> str:
    """What a page of `conversation` shows, in 26 characters; its head is enough.

    revision: anything that changes when the turns do or are shown otherwise, such as the sequence
    of its last entry in the archive's log. Without one, a change that leaves the head as it was is
    not seen.
    """
    summary = msgspec.to_builtins(msgspec.structs.replace(conversation, turns=()))
    state = json.dumps([revision, summary], sort_keys=True)
    return f"{_FORM}-{blake2b(state.encode(), digest_size=12).hexdigest()}"


def is_current(beginning: bytes, conversation: Conversation, revision: int | str = 0) -> bool:
    """Whether the page that begins so (`HEAD_BYTES` are enough) shows `conversation` as it is."""
    return f'content="{fingerprint(conversation, revision)}"'.encode() in beginning[:HEAD_BYTES]


def document(
    title: str, body: Iterable[Markup], *, mark: str | None = None, rules: Markup | None = None
) -> Iterator[str]:
    """A whole page with `body` (header, nav, main, footer) in it; `rules` are its own style."""
    yield _DOCTYPE
    yield Markup('<html lang="en">\n<head>\n')
    yield tag("meta", charset="utf-8")
    if mark is not None:
        yield tag("meta", name="dejavu", content=mark)
    yield tag("meta", http_equiv="Content-Security-Policy", content=_POLICY)
    yield tag("meta", name="viewport", content="width=device-width, initial-scale=1")
    yield tag("meta", name="referrer", content="no-referrer")
    yield tag("meta", name="generator", content="Déjà Vu")
    yield tag("link", rel="icon", href="data:,")  # a browser would otherwise ask for one
    yield tag("title", title)
    yield tag("style", STYLE, rules)
    yield Markup("\n</head>\n<body>\n")
    yield tag("a", "Skip to the content", class_="skip", href="#main")
    yield Markup('<div class="page">\n')
    yield from body
    yield Markup("</div>\n</body>\n</html>\n")
