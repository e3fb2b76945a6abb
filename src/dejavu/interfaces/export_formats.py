"""What a conversation is written as, for `dejavu export` and for the page's export links.

Writers take a conversation that was redacted already; `raw` and formats of extensions ask the archive.
O(conversation), in pieces where the format allows it.

Tested in: tests/extensions/web/test_views.py
"""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum

from dejavu.archive import Archive
from dejavu.config.extensions import parts
from dejavu.export.atif import trajectory
from dejavu.export.html import as_html
from dejavu.export.markdown import as_markdown
from dejavu.export.otel import as_otel
from dejavu.ingest.channel import load_session_log
from dejavu.model import (
    ConfigError,
    Conversation,
    NotFoundError,
    conversation_to_dict,
    turn_to_dict,
)
from dejavu.providers import Kind

from .command_line.output import json_text


class Form(StrEnum):
    """The formats of an export."""

    MD = "md"
    JSON = "json"
    JSONL = "jsonl"
    HTML = "html"
    OTEL = "otel"
    ATIF = "atif"
    AGENT_TRACE = "agent-trace"
    RAW = "raw"


def _json(conversation: Conversation) -> Iterator[bytes]:
    yield json_text(conversation_to_dict(conversation, turns=True), indent=1).encode() + b"\n"


def _jsonl(conversation: Conversation) -> Iterator[bytes]:
    yield json_text(conversation_to_dict(conversation)).encode() + b"\n"
    for turn in conversation.turns:
        yield json_text(turn_to_dict(turn)).encode() + b"\n"


def _markdown(conversation: Conversation) -> Iterator[bytes]:
    yield as_markdown(conversation).encode()


def _html(conversation: Conversation) -> Iterator[bytes]:
    for piece in as_html(conversation):
        yield piece.encode()


def _otel(conversation: Conversation) -> Iterator[bytes]:
    yield json_text(as_otel(conversation)).encode() + b"\n"


def _atif(conversation: Conversation) -> Iterator[bytes]:
    yield json_text(trajectory(conversation), indent=1).encode() + b"\n"


def _raw(archive: Archive, conversation: Conversation) -> Iterator[bytes]:
    sources = archive.sources.of(conversation.id)
    if not sources:
        raise NotFoundError(
            f"{conversation.id} was read from the screen and has no raw bytes; "
            "`--format json` or `md` has its turns"
        )
    archive.sources.refuse_hidden(conversation.id)
    for key in sources:
        source = load_session_log(archive, key)
        if source is None or source.kind is not Kind.SIDE_FILE:  # a log's own bytes are one file
            yield from archive.sources.raw(key)


WRITERS: dict[Form, Callable[[Conversation], Iterator[bytes]]] = {
    Form.MD: _markdown,
    Form.JSON: _json,
    Form.JSONL: _jsonl,
    Form.HTML: _html,
    Form.OTEL: _otel,
    Form.ATIF: _atif,
}
"""The formats that need nothing but the conversation."""


def write(form: Form, archive: Archive, conversation: Conversation) -> Iterator[bytes]:
    """Yield the bytes of a conversation in any format.

    Raises:
        NotFoundError: there are no raw bytes of it.
        ConfigError: the format belongs to an extension that is not installed.
    """
    if form in WRITERS:
        return WRITERS[form](conversation)
    if form is Form.RAW:
        return _raw(archive, conversation)
    for part in parts("export_formats"):
        if form in part.WRITERS:
            pieces: Iterator[bytes] = part.WRITERS[form](archive, conversation)
            return pieces
    raise ConfigError(f"the extension that writes {form} is not installed")


ENDINGS = {
    Form.RAW: "native",
    Form.OTEL: "otel.json",
    Form.ATIF: "atif.json",
    Form.AGENT_TRACE: "agent-trace.json",
}


def file_name(summary: Conversation, form: Form) -> str:
    """The name of a conversation's file, always one inside of the folder.

    The agent's name comes from files that were imported, and may hold anything; so may an id in an
    archive of someone else's.
    """
    agent, identity = (
        re.sub(r"[^\w.+-]+", "-", text, flags=re.ASCII).strip("-.")[:60]
        for text in (summary.agent, summary.id)
    )
    return f"{agent or 'agent'}-{identity}.{ENDINGS.get(form, form)}"
