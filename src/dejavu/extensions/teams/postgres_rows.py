"""Rows of the relations: what a record says, as JSON that PostgreSQL can hold.

PostgreSQL's texts hold neither NUL nor lone surrogates (agents cut text in the middle of a character);
both become U+FFFD. Does no I/O; O(what is given), a part's text up to `CONTENT`.

Tested in: tests/extensions/teams/test_postgres_relations.py
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

import msgspec

from dejavu.archive.records import SummaryRecord, from_text
from dejavu.model import (
    Blob,
    Conversation,
    Extension,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
)

Row = dict[str, Any]

CONTENT = 65_536
"""Characters of a part's text that the relations hold; the records hold all of it."""
_SENT = 4 << 20  # bytes of JSON in one statement
_LAST_MOMENT = 1e11


def documents(rows: Iterable[Row | str]) -> Iterator[str]:
    """The rows as JSON arrays of about 4 MiB."""
    texts: list[bytes] = []
    size = 0
    for row in rows:
        texts.append(msgspec.json.encode(row))
        size += len(texts[-1])
        if size > _SENT:
            yield (b"[" + b",".join(texts) + b"]").decode()
            texts, size = [], 0
    if texts:
        yield (b"[" + b",".join(texts) + b"]").decode()


def conversation_row(record: SummaryRecord, summary: Conversation) -> Row:
    """What a summary says of its conversation."""
    return {
        "number": record.number, "id": clean(summary.id), "workspace": clean(summary.workspace),
        "instance": clean(summary.instance), "agent": clean(summary.agent),
        "native_id": clean(summary.native_id), "title": clean(summary.title),
        "prompt": clean(from_text(record.prompt, str)), "started_at": moment(summary.started_at),
        "ended_at": moment(summary.ended_at), "captured_at": moment(summary.captured_at),
        "first_seq": record.first, "turn_count": summary.turn_count,
        "vectors": [str(vector) for vector in summary.vectors], "parent": clean_or_none(summary.parent),
        "relation": None if summary.relation is None else str(summary.relation),
        "source": clean_or_none(summary.source), "agent_version": clean_or_none(summary.agent_version),
        "project": clean(summary.project) or None,
    }  # fmt: skip


def part_row(part: Part) -> Row:
    """What a part says, by its type; what is not text is JSON."""
    name = call = failed = None
    match part:
        case Text() | Reasoning():
            content: Any = part.content
        case ToolCall():
            name, call, content = part.name, part.id, part.arguments
        case ToolCallResponse():
            call, content, failed = part.id, part.response, part.is_error
        case Blob():
            name, content = part.mime_type, None
        case Extension():
            name, content = part.kind, part.data
    if content is not None and not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False)
    kind = "text" if isinstance(part, Text) else str(type(part).__struct_config__.tag)
    return {
        "type": kind, "name": clean_or_none(name), "call": clean_or_none(call),
        "content": None if content is None else clean(content[:CONTENT]),
        "length": 0 if content is None else len(content), "is_error": failed,
    }  # fmt: skip


def turn_of(row: Row) -> Turn:
    """The turn of a row with its parts' rows; of a longer part its beginning, and how much is missing."""
    turn = {
        key: row.get(key) for key in ("seq", "role", "at", "vector", "model", "native_id", "parent")
    }
    turn |= {key: row[key] for key in ("usage", "meta") if row.get(key)}
    return msgspec.convert({**turn, "parts": [_part_of(one) for one in row["parts"] or ()]}, Turn)


def _part_of(row: Row) -> Row:
    kind, name, call, content = row["type"], row["name"], row["call"], row["content"]
    if content is not None and (more := row["length"] - len(content)) > 0:
        content += f"\n[{more:,} more characters are in a session log that is shared with a hidden project]"
    if kind == "tool_call":
        return {"type": kind, "id": call, "name": name or "", "arguments": _structure(content)}
    if kind == "tool_call_response":
        failed = bool(row.get("is_error"))
        return {"type": kind, "id": call, "response": _structure(content), "is_error": failed}
    if kind == "blob":
        return {"type": kind, "mime_type": name, "content": ""}
    if kind == "x":
        data = _structure(content)
        return {"type": kind, "kind": name or "", "data": data if isinstance(data, dict) else {}}
    return {"type": kind, "content": content or ""}


def _structure(content: str | None) -> Any:
    """JSON objects and lists as such; all else is text."""
    if content is not None and content[:1] in ("{", "["):
        with suppress(ValueError):
            return json.loads(content)
    return content


def record_of(meta: Mapping[str, object]) -> Any:
    """An agent's small facts as JSON that PostgreSQL can hold; None where there are none."""
    return _json(dict(meta)) or None


def usage_of(turn: Turn) -> Row | None:
    """What a turn used, as its vendor reported it; `of` is `run` where that is of a whole run."""
    if turn.usage is None:
        return None
    row: Row = msgspec.to_builtins(turn.usage)
    return {**row, "of": "run"} if turn.meta.get("usage_of") == "run" else row


def record_to_json(value: bytes) -> Any:
    """A memory's record as JSON; what is no text (its vector) is left out."""
    try:
        found: Any = msgspec.msgpack.decode(value)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return _json(found)


def _json(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        pairs = cast("dict[object, Any]", value)
        return {clean(str(k)): _json(v) for k, v in pairs.items() if not isinstance(v, bytes)}
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [_json(item) for item in items]
    return None if isinstance(value, bytes) else value


def first_moment(summary: Conversation | None) -> float | None:
    """When a turn without a time was, as far as its conversation knows."""
    if summary is None:
        return None
    return moment(summary.started_at or summary.captured_at)


def moment(at: float | None) -> float | None:
    """`at` where PostgreSQL has such a moment: up to the year 5138."""
    return at if at is not None and abs(at) < _LAST_MOMENT else None  # NaN is not, too


def clean(text: str) -> str:
    """`text` as PostgreSQL can hold it."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_or_none(text: str | None) -> str | None:
    """As `clean`, of a text that may be missing."""
    return None if text is None else clean(text)
