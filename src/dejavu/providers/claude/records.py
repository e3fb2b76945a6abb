"""Claude Code's records as they stand in its JSONL, and what their texts mean.

Takes nothing but values; gives structs and parts. Only the fields that are read are declared, so
the decoder skips the rest without building it. Observed from 1.0 to 2.1.330; the format has no
public description.
"""

import re
from typing import Any

import msgspec

from dejavu.model import Blob, Extension, Part, Text, Usage

from ..formats.json_coerce import items, mapping, text

NOISE = frozenset(
    {
        "agent-name", "agent-color", "agent-setting", "api-request", "api-request-blob",
        "api-request-shape", "atis-latch", "bridge-session", "content-replacement", "cost-state",
        "file-history-delta", "file-history-snapshot", "frame-link", "last-prompt", "mode",
        "permission-mode", "pr-link",
        "progress", "queue-operation", "relocated", "saved_hook_context", "tools-used",
        "worktree-state",
    }
)  # fmt: skip
"""Record types that say nothing a person said or read; the raw stream keeps them."""

QUIET = frozenset({"turn_duration", "stop_hook_summary", "file_snapshot", "away_summary"})
"""Subtypes of `system` records that are bookkeeping."""


class Media(msgspec.Struct):
    """Where an image's or document's bytes are."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None


class Block(msgspec.Struct):
    """One block of a message's content; which fields are set depends on `type`."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None
    source: Media | None = None


class Tokens(msgspec.Struct):
    """A response's tokens; `input_tokens` is without what came from the cache."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    def usage(self) -> Usage:
        """The same in the record's words."""
        created, read = self.cache_creation_input_tokens, self.cache_read_input_tokens
        fresh = self.input_tokens
        return Usage(
            input_tokens=None if fresh is None else fresh + (created or 0) + (read or 0),
            output_tokens=self.output_tokens,
            cache_read_input_tokens=read,
            cache_creation_input_tokens=created,
        )


class Message(msgspec.Struct):
    """What was sent to or came from the model."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    usage: Tokens | None = None
    stop_reason: str | None = None


class Hunk(msgspec.Struct, rename="camel"):
    """One hunk of a structured patch; its lines carry ` `, `+` or `-`."""

    old_start: int = 0
    old_lines: int = 0
    new_start: int = 0
    new_lines: int = 0
    lines: list[str] = []


class Detail(msgspec.Struct, rename="camel"):
    """What a tool's result says beside its text."""

    file_path: str | None = None
    structured_patch: list[Hunk] | None = None
    agent_id: str | None = None

    def diff(self) -> Extension | None:
        """The edit as a unified diff, if the tool made one."""
        if not self.structured_patch:
            return None
        rows: list[str] = []
        for hunk in self.structured_patch:
            old, new = f"{hunk.old_start},{hunk.old_lines}", f"{hunk.new_start},{hunk.new_lines}"
            rows += [f"@@ -{old} +{new} @@", *hunk.lines]
        return Extension("claude.diff", {"path": self.file_path, "diff": "\n".join(rows)})


class Attachment(msgspec.Struct, rename="camel"):
    """What was put beside a prompt; only queued prompts are said by a person."""

    type: str | None = None
    prompt: str | list[Block] | None = None
    command_mode: str | None = None


class Record(msgspec.Struct, rename="camel"):
    """One line of a session."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    version: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    api_error_status: int | None = None
    api_error_type: str | None = None
    prompt_source: str | None = None
    message: Message | None = None
    tool_use_result: Detail | str | list[msgspec.Raw] | None = None
    attachment: Attachment | None = None
    content: Any = None
    error: Any = None
    compact_metadata: dict[str, Any] | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    summary: str | None = None
    leaf_uuid: str | None = None


# The harness's own elements: a user record that is nothing else was not typed by a person.
_TAGS = (
    "bash-input|bash-stderr|bash-stdout|command-args|command-contents|command-message|command-name|"
    "ide_diagnostics|ide_opened_file|ide_selection|local-command-caveat|local-command-stderr|"
    "local-command-stdout|new-diagnostics|post-tool-use-hook|session-start-hook|system-reminder|"
    "task-notification|teammate-message|tick|user-memory-input|user-prompt-submit-hook"
)
_ELEMENT = re.compile(rf"\s*<({_TAGS})(?:\s[^>]*)?>(.*?)</\1>\s*", re.DOTALL)
_INJECTED = (
    "Caveat: The messages below were generated by the user while running local commands",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
)


def spoken(said: str) -> tuple[str, tuple[Part, ...]]:
    """What a person typed in a user record's text, and what the harness put around it.

    The typed text is "" if the harness wrote everything; it is unchanged where there is nothing
    of the harness in it.
    """
    if said.startswith(_INJECTED):
        return "", (Text(said),)
    if "</" not in said or (first := _ELEMENT.search(said)) is None:
        return said, ()
    if first.group(1).startswith("command-") and not said[: first.start()].strip():
        found = {tag.removeprefix("command-"): body for tag, body in _ELEMENT.findall(said)}
        line = f"{found.get('name', '')} {found.get('args', '')}".strip()
        return "", (Extension("claude.command", dict(found)), Text(line))
    around = tuple(
        Extension("claude.context", {"tag": tag, "content": body})
        for tag, body in _ELEMENT.findall(said)
    )
    return _ELEMENT.sub("\n", said).strip(), around


def media(block: Block) -> Part:
    """An image or a document, inline or by reference."""
    source = block.source
    if source is not None and source.data is not None:
        return Blob(source.media_type, source.data, block.type or "image")
    kind = None if source is None else source.type
    return Extension(f"claude.{block.type}", {"source": kind})


def response(content: Any) -> tuple[Any, tuple[Part, ...]]:
    """A tool result's content as one response, and the images in it as parts of their own."""
    if not isinstance(content, list):
        return content, ()
    texts: list[str] = []
    blobs: list[Part] = []
    for item in items(content):
        block = mapping(item)
        source = mapping(block.get("source"))
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            texts.append(text(block.get("text")))
        elif block.get("type") == "image" and "data" in source:
            blobs.append(Blob(text(source.get("media_type")) or None, text(source.get("data"))))
        else:
            return items(content), ()
    return "\n".join(texts), tuple(blobs)
