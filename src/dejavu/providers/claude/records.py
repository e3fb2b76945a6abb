"""Claude Code's records as they stand in its JSONL.

Only the fields that are read are declared, so
the decoder skips the rest without building it. Observed from 1.0 to 2.1.330; the format has no
public description.

Tested in: tests/providers/claude/test_parser.py
"""

from typing import Any

import msgspec

from dejavu.model.compaction import NONE, kept

from ..formats.anthropic_messages import ContentBlock, Detail, Message
from ..formats.json_lines import as_dict, as_list, as_str

IGNORED_TYPES = frozenset(
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

IGNORED_SUBTYPES = frozenset(
    {"turn_duration", "stop_hook_summary", "file_snapshot", "away_summary"}
)
"""Subtypes of `system` records that are bookkeeping."""


class Attachment(msgspec.Struct, rename="camel"):
    """What was attached to a prompt; only queued prompts are said by a person."""

    type: str | None = None
    prompt: str | list[ContentBlock] | None = None
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


def error_message(error: Any) -> str:
    """The words of an API error, wherever in its object they are."""
    while detail := as_dict(error):
        error = detail.get("message") or detail.get("error") or detail.get("formatted")
    return as_str(error) or "API error"


def kept_messages(data: dict[str, Any]) -> dict[str, str]:
    """What a compaction kept of the messages before it: nothing, or those from one of them on."""
    segment, messages = (
        as_dict(data.get("preservedSegment")),
        as_dict(data.get("preservedMessages")),
    )
    if not segment and not messages:
        return kept(NONE)
    first = as_str(segment.get("headUuid")) or next(iter(as_list(messages.get("uuids"))), "")
    return kept(since=as_str(first))
