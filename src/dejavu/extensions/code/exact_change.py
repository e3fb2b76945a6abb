"""What one call made of a file's exact text, forwards and backwards, and what its result recorded.

A replacement is followed only where there is one place that it fits; a call that states lines, not
text, is not followed. Some agents keep the whole text of a file in a result: it is read from the raw
bytes of the turn. Costs O(the turn).

Tested in: tests/extensions/code/test_file_then.py
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from dejavu.archive import Archive
from dejavu.ingest.channel import load_session_log
from dejavu.model import DejavuError, ToolCall, ToolCallResponse, Turn, Vector
from dejavu.providers import Kind
from dejavu.providers.formats.json_lines import decode_lenient

from .tool_arguments import NAMES, argument_fields

_FURTHEST = 200  # turns after a call in which its result is looked for
_DEPTH = 6  # of objects in a record
_ALL = ("replaceall", "allowmultiple")


class Replacement(NamedTuple):
    """A text that stood in a file and what was put in its place; `before` None: the whole file."""

    before: str | None
    after: str
    all: bool = False


def replacements(arguments: object) -> tuple[Replacement, ...] | None:
    """What a call did to one file, in order; None where it does not state its exact texts."""
    fields = argument_fields(arguments)
    listed = fields.get("edits")
    if isinstance(listed, list):
        found = [_replacement(argument_fields(one)) for one in cast("list[object]", listed)]
        return None if None in found else tuple(one for one in found if one is not None)
    one = _replacement(fields)
    return None if one is None else (one,)


def _replacement(fields: Mapping[str, Any]) -> Replacement | None:
    before, after = (_string(fields, kind) for kind in ("before", "after"))
    if before is not None and after is not None:
        every = any(fields.get(name) is True for name in _ALL)
        return Replacement(before or None, after, every)
    content = _string(fields, "content")
    return None if content is None or before is not None else Replacement(None, content)


def _string(fields: Mapping[str, Any], kind: str) -> str | None:
    found = next((fields[name] for name in NAMES[kind] if fields.get(name) is not None), None)
    return found if isinstance(found, str) else None


def forwards(text: str | None, made: tuple[Replacement, ...]) -> str | None:
    """The text after a change; None where that is not certain."""
    for one in made:
        if one.before is None:
            text = one.after
        elif text is None or one.before not in text:
            return None
        elif one.all:
            text = text.replace(one.before, one.after)
        elif text.count(one.before) > 1:
            return None
        else:
            text = text.replace(one.before, one.after)
    return text


def can_be_undone(made: tuple[Replacement, ...]) -> bool:
    """Whether a change can be followed backwards in any text at all: it leaves what it replaced."""
    return not any(one.before is None or one.all or not one.after for one in made)


def backwards(text: str | None, made: tuple[Replacement, ...]) -> str | None:
    """The text before a change; None where that is not certain."""
    if not can_be_undone(made):
        return None
    for one in reversed(made):
        if text is None or one.before is None:
            return None
        if text.count(one.after) != 1:
            return None
        text = text.replace(one.after, one.before)
    return text


class Recorded(NamedTuple):
    """A call's result: when it came, and the whole texts that it recorded."""

    at: float | None
    before: str | None = None
    after: str | None = None
    read: str | None = None
    created: bool = False
    """The file was made by this call."""

    @property
    def is_exact(self) -> bool:
        """Whether a written text is the file's bytes: who records the text before keeps its line ends."""
        return self.created or (self.before is None and self.after is None)


def call_and_result(
    archive: Archive, conversation: str, seq: int, part: int
) -> tuple[ToolCall, Recorded | None] | None:
    """The call in a part of a turn, and its result, where it has one; None where no call is there."""
    call: ToolCall | None = None
    for turn in archive.turns(conversation, seq, seq + _FURTHEST):
        if call is None:
            found = turn.parts[part] if turn.seq == seq and part < len(turn.parts) else None
            if not isinstance(found, ToolCall):
                return None
            call = found
        for answer in turn.parts:
            if isinstance(answer, ToolCallResponse) and answer.id == call.id:
                texts = _texts(archive, conversation, turn)
                return call, texts._replace(at=turn.at)
    return None if call is None else (call, None)


def _texts(archive: Archive, conversation: str, turn: Turn) -> Recorded:
    """The texts in the records of a turn; none where there are texts of several files."""
    found = [one for record in _records(archive, conversation, turn) for one in _kept(record, 0)]
    return found[0] if len(found) == 1 else Recorded(None)


def _records(archive: Archive, conversation: str, turn: Turn) -> Iterator[object]:
    if turn.vector is not Vector.NATIVE or not turn.spans:
        return
    keys = [
        key
        for key in archive.sources.of(conversation)
        if (source := load_session_log(archive, key)) is not None and source.kind is Kind.APPEND
    ]
    if len(keys) != 1:
        return
    for span in turn.spans:
        try:
            yield decode_lenient(archive.sources.raw_part(keys[0], span.offset, span.length))
        except DejavuError:
            return


def _kept(record: object, depth: int) -> Iterator[Recorded]:
    """The whole texts in a record, by the names that agents have for them."""
    if isinstance(record, list):
        for item in cast("list[object]", record):
            yield from _kept(item, depth + 1)
        return
    fields = argument_fields(record)
    if not fields or depth > _DEPTH:
        return
    if "originalfile" in fields:  # Claude Code
        before = fields["originalfile"]
        made = fields.get("type") == "create" and before is None
        yield Recorded(None, _whole(before), _whole(fields.get("content")), created=made)
    elif "originalcontent" in fields and "newcontent" in fields:  # Gemini CLI, Qwen Code
        yield Recorded(None, _whole(fields["originalcontent"]), _whole(fields["newcontent"]))
    elif isinstance(diff := fields.get("filediff"), Mapping):  # OpenCode
        inner = argument_fields(cast("object", diff))
        yield Recorded(None, _whole(inner.get("before")), _whole(inner.get("after")))
    elif isinstance(file := fields.get("file"), Mapping) and fields.get("type") == "text":
        inner = argument_fields(cast("object", file))
        whole = inner.get("startline") == 1 and inner.get("numlines") == inner.get("totallines")
        if whole and isinstance(inner.get("content"), str):
            yield Recorded(None, read=inner["content"])
    else:
        for value in fields.values():
            yield from _kept(value, depth + 1)


def _whole(value: object) -> str | None:
    return value if isinstance(value, str) else None
