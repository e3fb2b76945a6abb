"""The parts of a turn as `Markup`: prose open, everything else folded under one summary line.

Small edits come unfolded, because they are what people look for. Only raster pictures are shown,
from the bytes in the conversation itself. O(size of the part).
"""

import re
from base64 import b64decode
from binascii import Error as Base64Error

from markupsafe import Markup

from dejavu.model import (
    Blob,
    Extension,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Vector,
)

from ..changes import Change, as_change, change_of, is_diff
from ..parts import call_blocks, call_summary, value_text
from .code import PLAIN, Colours
from .diff import diff
from .format import amount
from .markdown import as_html
from .markup import join, line, tag

_OPEN = 24
"""Lines of a change that are shown unfolded."""
_BRIEF = 240
"""Characters of a system's text that need no fold: notices stay open, long instructions do not."""
_PICTURES = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
"""Raster types, by how their bytes begin; SVG is a program and stays out."""
_LARGEST = 8 << 20  # characters of base64
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]*={0,2}\s*")


def as_element(part: Part, turn: Turn, workspace: str = "", colours: Colours = PLAIN) -> Markup:
    """One part of `turn`; in the line of a call, files of `workspace` are named from there."""
    match part:
        case Text(content=content) if turn.role is Role.SYSTEM and len(content) > _BRIEF:
            return _fold("Instructions", _first(content), as_html(content, colours, breaks=True))
        case Text(content=content):
            # People and screens mean their line ends; models write paragraphs.
            breaks = turn.role is Role.USER or turn.vector is Vector.SCREEN
            return as_html(content, colours, breaks=breaks)
        case Reasoning(content=content):
            return _fold("Reasoning", _first(content), as_html(content, colours), kind="reasoning")
        case ToolCall():
            return _call(part, workspace, colours)
        case ToolCallResponse():
            return _response(part)
        case Blob():
            return _blob(part)
        case Extension(kind=kind, data=data):
            return _fold(kind, "", colours.code(value_text(data), "json"))


def _call(call: ToolCall, workspace: str, colours: Colours) -> Markup:
    gist = call_summary(call)[len(call.name) + 2 :]
    if len(inside := workspace.rstrip("/") + "/") > 1:
        gist = gist.replace(inside, "")
    change = change_of(call.arguments)
    if change is not None:
        small = len(change.lines) <= _OPEN
        return _fold(call.name, gist, diff(change.lines), more=_counts(change), unfolded=small)
    blocks = [colours.code(block.content, block.language) for block in call_blocks(call)]
    return _fold(call.name, gist, join(blocks) if blocks else None)


def _response(response: ToolCallResponse) -> Markup:
    body = value_text(response.response)
    lines = len(body.splitlines())
    more = line(f"{amount(lines)} lines") if lines > 1 else None
    failed = "failed" if response.is_error else ""
    name = "Error" if response.is_error else "Result"
    if is_diff(body):
        change = as_change(body)
        return _fold(name, "", diff(change.lines), more=_counts(change), kind=failed)
    return _fold(name, _first(body) or "(empty)", PLAIN.code(body) if body else None, more, failed)


def _blob(blob: Blob) -> Markup:
    kind = (blob.mime_type or "").lower()
    begins = _PICTURES.get(kind)
    if begins is not None and _holds(blob.content, begins):
        source = f"data:{kind};base64,{''.join(blob.content.split())}"
        return tag("p", tag("img", src=source, alt="Attached picture", loading="lazy"))
    size = amount(len(blob.content) * 3 // 4)
    return tag("p", f"[attached: {blob.mime_type or blob.modality}, {size} bytes]")


def _holds(content: str, begins: bytes) -> bool:
    if len(content) > _LARGEST or _BASE64.fullmatch(content) is None:
        return False
    try:
        return b64decode(content[:64].strip()[:60]).startswith(begins)
    except (Base64Error, ValueError):
        return False


def _counts(change: Change) -> Markup:
    return tag(
        "span",
        tag("span", f"+{change.added}", class_="plus"),
        " ",
        tag("span", f"−{change.removed}", class_="minus"),
    )


def _first(content: str) -> str:
    return next((row for row in content.splitlines() if row.strip()), "")


def _fold(
    name: str,
    what: str,
    body: Markup | None,
    more: Markup | None = None,
    kind: str = "",
    *,
    unfolded: bool = False,
) -> Markup:
    """A line that says what it is; `body` opens under it, where there is one."""
    return tag(
        "details",
        tag(
            "summary",
            tag("b", line(name, 80)),
            tag("span", line(what, 300), class_="what"),
            more and tag("span", more, class_="more"),
        ),
        tag("div", body or tag("p", "Nothing more was said."), class_="body"),
        class_=f"fold {kind}".strip(),
        open=unfolded,
    )
