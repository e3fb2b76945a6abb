"""From a tool's arguments to changes of files: one table of argument names, and shapes.

No agent is named: a call is known by what it holds. A path with an old and a new text is a
replacement, a path with a content a written file, a list of such objects several of them; a text
that is a unified diff, an `apply_patch` envelope, SEARCH/REPLACE blocks or a shell command is read as
one. Names are compared in lower case and without `_` and `-`. Does no I/O. Costs O(arguments).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from dejavu.export.parts import shell_line

from .file_edit import EditKind, FileEdit, Hunk, replacement, split_lines
from .patches import (
    block_edits,
    diff_edits,
    envelope_edits,
    is_blocks,
    is_envelope,
    is_unified_diff,
)
from .shell_writes import shell_edits

NAMES: dict[str, tuple[str, ...]] = {
    "path": (
        "filepath", "path", "file", "filename", "absolutepath", "targetfile", "notebookpath",
        "relativeworkspacepath", "relativepath", "filetoedit", "targetpath", "abspath", "uri",
        "destinationfile", "location",
    ),
    "before": (
        "oldstring", "oldstr", "oldtext", "oldcontent", "search", "find", "original", "before",
        "targetcontent", "oldcode", "oldsource", "searchtext", "oldlines", "old",
    ),
    "after": (
        "newstring", "newstr", "newtext", "newcontent", "replace", "replacement", "after",
        "replacementcontent", "newcode", "replacewith", "newsource", "replacetext", "newlines",
        "updated", "new",
    ),
    "content": (
        "content", "contents", "filetext", "filecontent", "codecontent", "newsource", "text",
        "body", "code", "data",
    ),
    "inserted": ("inserttext", "insertedtext", "newstr", "text", "content"),
    "insertat": ("insertline", "insertafterline", "insertat"),
    "edits": (
        "edits", "changes", "replacements", "operations", "hunks", "multiedits", "files",
        "replacementchunks", "blocks", "modifications",
    ),
    "patch": ("patch", "diff", "unifieddiff", "input", "patchtext", "content"),
    "command": (
        "command", "cmd", "commandline", "commands", "script", "shellcommand", "input", "code",
    ),
    "folder": ("workdir", "cwd", "workingdirectory", "dirpath", "directory"),
    "source": ("sourcepath", "oldpath", "source", "from", "frompath"),
    "target": ("destinationpath", "newpath", "destination", "to", "topath", "movepath"),
}  # fmt: skip
"""What each kind of argument is called by some agent, as `key` has it."""

_READS = re.compile(
    r"read|view|grep|search|glob|list|fetch|find|browse|web|question|task|todo|plan|message|memor"
    r"|look|think|ask|^ls$|^cat$|open_?file"
)
_SHELLS = re.compile(r"bash|shell|exec|command|terminal|process|^run|_run|cmd|script|python|repl")
_DEPTH = 3
_MOST = 500  # changes of one call


def key(name: str) -> str:
    """A name of an argument as the table has it."""
    return name.lower().replace("_", "").replace("-", "")


def tool_edits(name: str, arguments: object) -> list[FileEdit]:
    """The changes that a call of the tool `name` asks for; [] where it states none."""
    return _edits(name.lower(), arguments, "", _DEPTH)[:_MOST]


def shell_command(name: str, arguments: object) -> str | None:
    """The command line that a call runs; None where the tool is no shell."""
    fields = argument_fields(arguments)
    if not fields and isinstance(arguments, str) and _SHELLS.search(name.lower()):
        return arguments or None
    for wanted in NAMES["command"]:
        value = fields.get(wanted)
        if wanted in ("input", "code") and not _SHELLS.search(name.lower()):
            continue
        if isinstance(value, Mapping):
            value = argument_fields(cast("object", value)).get("command")
        line = _line(value)
        if line and not _first(fields, "path"):
            return line
    return None


def is_read(name: str) -> bool:
    """Whether a tool of this name may read a file."""
    return _READS.search(name.lower()) is not None


def read_path(name: str, arguments: object) -> str:
    """The file that a call reads; "" where it reads none, or many."""
    return _path(argument_fields(arguments), "") if is_read(name) else ""


def working_folder(arguments: object) -> str:
    """The folder that a call names to run in; "" where it names none."""
    value = _first(argument_fields(arguments), "folder")
    return value if isinstance(value, str) else ""


def _line(value: object) -> str:
    """A command as one line: a text, the last word of `sh -c`, or words."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        items = cast("Sequence[object]", value)
        words = [word for word in items if isinstance(word, str)]
        if len(words) != len(items):  # [{"command": ...}]
            return " && ".join(
                filter(None, (_line(argument_fields(item).get("command")) for item in items))
            )
        return shell_line(words)
    return ""


def argument_fields(arguments: object) -> dict[str, Any]:
    """The arguments of a call by their names as `key` has them; {} where they are no object."""
    if not isinstance(arguments, Mapping):
        return {}
    given = cast("Mapping[str, Any]", arguments)
    return {key(str(name)): value for name, value in given.items()}


def _first(fields: Mapping[str, Any], kind: str) -> Any:
    """The value of the first name of a kind that is there and not None."""
    for name in NAMES[kind]:
        value = fields.get(name)
        if value is not None:
            return value
    return None


def _text(fields: Mapping[str, Any], kind: str) -> str | None:
    value = _first(fields, kind)
    if isinstance(value, list):
        items = cast("list[object]", value)
        words = [item for item in items if isinstance(item, str)]
        return "\n".join(words) if len(words) == len(items) else None
    return value if isinstance(value, str) else None


def _path(fields: Mapping[str, Any], fallback: str) -> str:
    value = _first(fields, "path")
    if isinstance(value, Mapping):
        value = _first(argument_fields(cast("object", value)), "path")
    if not isinstance(value, str) or not value or len(value) > 4_096 or "\n" in value:
        return fallback
    if value.startswith("file://"):
        try:
            return unquote(urlsplit(value).path)
        except ValueError:
            return fallback
    return value


def _edits(tool: str, arguments: object, path: str, depth: int) -> list[FileEdit]:
    if isinstance(arguments, str):
        return _text_edits(tool, arguments, path)
    fields = argument_fields(arguments)
    if not fields or depth < 0:
        return []
    path = _path(fields, path)
    patched = _patch_edits(tool, fields, path)
    if patched:
        return patched
    listed = _first(fields, "edits")
    if isinstance(listed, (list, Mapping)):
        nested = _listed(tool, cast("object", listed), path, depth)
        if nested:
            return nested
    if path:
        stated = _stated(tool, fields, path)
        if stated:
            return stated
    moved, source = _text(fields, "target"), _text(fields, "source")
    if moved and source and re.search(r"move|rename", tool):
        return [FileEdit(moved, EditKind.MOVE, source=source)]
    command = shell_command(tool, arguments)
    return [] if command is None else shell_edits(command)


def _stated(tool: str, fields: Mapping[str, Any], path: str) -> list[FileEdit]:
    """A replacement, an insertion, a deletion or a written file."""
    before, after = _text(fields, "before"), _text(fields, "after")
    if _first(fields, "insertat") is not None and before is None:
        inserted = _text(fields, "inserted") or ""
        return [FileEdit(path, EditKind.REPLACE, (Hunk((), split_lines(inserted)),))]
    if before is not None and after is not None:
        if not before:  # Claude's and Gemini's way to make a file
            return [FileEdit(path, EditKind.WRITE, (Hunk((), split_lines(after)),))]
        return [FileEdit(path, EditKind.REPLACE, (replacement(before, after),))]
    if _READS.search(tool):
        return []
    if re.search(r"delete|remove", tool) and after is None and _text(fields, "content") is None:
        return [FileEdit(path, EditKind.DELETE)]
    content = _text(fields, "content")
    if content is None and "newsource" in fields:
        content = after
    if content is None:
        return []
    kind = EditKind.APPEND if "append" in tool or fields.get("mode") == "append" else EditKind.WRITE
    return [FileEdit(path, kind, (Hunk((), split_lines(content)),))]


def _patch_edits(tool: str, fields: Mapping[str, Any], path: str) -> list[FileEdit]:
    for name in NAMES["patch"]:
        value = fields.get(name)
        if isinstance(value, str):
            edits = _text_edits(tool, value, path)
            if edits:
                return edits
    return []


def _text_edits(tool: str, text: str, path: str) -> list[FileEdit]:
    if is_envelope(text) and not _SHELLS.search(tool):
        return envelope_edits(text)
    if is_blocks(text):
        return block_edits(text, path)
    if is_unified_diff(text) or (path and text.startswith("@@ -")):
        return diff_edits(text, path)
    return shell_edits(text) if _SHELLS.search(tool) and not path else []


def _listed(tool: str, listed: object, path: str, depth: int) -> list[FileEdit]:
    """The changes of a list of objects, or of an object whose names are paths."""
    if isinstance(listed, Mapping):
        by_path = cast("Mapping[str, Any]", listed)
        return [
            edit
            for name, change in by_path.items()
            for edit in _keyed(tool, str(name), change, depth)
        ]
    edits: list[FileEdit] = []
    for item in cast("list[object]", listed):
        edits += _edits(tool, item, path, depth - 1)
    joined: dict[tuple[str, EditKind], FileEdit] = {}
    for edit in edits:
        other = joined.get((edit.path, edit.kind))
        hunks = edit.hunks if other is None else other.hunks + edit.hunks
        joined[edit.path, edit.kind] = edit._replace(hunks=hunks)
    return list(joined.values())


def _keyed(tool: str, path: str, change: object, depth: int) -> list[FileEdit]:
    """One entry of `{"path": {"add": {...}}}` or `{"path": {"type": "add", ...}}`."""
    fields = argument_fields(change)
    for nested in ("add", "update", "delete"):
        if isinstance(fields.get(nested), Mapping):
            fields = {**argument_fields(fields[nested]), "type": nested}
    if fields.get("type") == "delete":
        return [FileEdit(path, EditKind.DELETE)]
    moved = _text(fields, "target")
    if moved:
        rest = _edits(tool, fields, moved, depth - 1)
        return [FileEdit(moved, EditKind.MOVE, source=path), *rest]
    return _edits(tool, fields, path, depth - 1)
