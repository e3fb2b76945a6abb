"""Changes of files written as text: unified diffs, `apply_patch` envelopes, SEARCH/REPLACE blocks.

Every parser returns what it understood and passes over the rest; none raises. Does no I/O.
Costs O(text). Formats: GNU diffutils manual 2.2.2; the envelope as Codex's own tool states it
(`*** Begin Patch`); the blocks as Aider's and Cline's prompts state them.

Tested in: tests/extensions/code/test_tool_arguments.py
"""

import re
from collections.abc import Iterator

from .file_edit import EditKind, FileEdit, Hunk

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_SEARCH = re.compile(r"(?:<{5,9}|-{5,9}) ?SEARCH>?\s*$")
_MIDDLE = re.compile(r"={5,9}\s*$")
_REPLACE = re.compile(r"(?:>{5,9}|\+{5,9}) ?REPLACE>?\s*$")


def is_envelope(text: str) -> bool:
    """Whether a text holds an `apply_patch` envelope."""
    return _BEGIN in text


def is_unified_diff(text: str) -> bool:
    """Whether a text holds a unified diff of a named file."""
    return "\n+++ " in text and "@@ " in text and ("--- " in text[:4] or "\n--- " in text)


def is_blocks(text: str) -> bool:
    """Whether a text holds SEARCH/REPLACE blocks."""
    return "SEARCH" in text and "REPLACE" in text and any(map(_REPLACE.match, text.split("\n")))


def envelope_edits(text: str) -> list[FileEdit]:
    """The changes of an `apply_patch` envelope."""
    edits: list[FileEdit] = []
    lines = text[text.find(_BEGIN) :].split("\n")
    number = 1
    while number < len(lines) and not lines[number].startswith(_END):
        section = _SECTION.match(lines[number].rstrip("\r"))
        number += 1
        if section is None:
            continue
        action, path = section[1], section[2].strip()
        moved = ""
        if number < len(lines) and lines[number].startswith("*** Move to: "):
            moved = lines[number].removeprefix("*** Move to: ").strip()
            number += 1
        start = number
        while number < len(lines) and not lines[number].startswith("*** "):
            number += 1
        body = [line.removesuffix("\r") for line in lines[start:number]]
        if number < len(lines) and lines[number].startswith("*** End of File"):
            number += 1
        if action == "Delete":
            edits.append(FileEdit(path, EditKind.DELETE))
            continue
        if moved:
            edits.append(FileEdit(moved, EditKind.MOVE, source=path))
            path = moved
        if action == "Add":
            added = tuple(line[1:] for line in body if line.startswith("+"))
            edits.append(FileEdit(path, EditKind.WRITE, (Hunk((), added),)))
        else:
            edits.append(FileEdit(path, EditKind.REPLACE, tuple(_hunks(body))))
    return edits


def _hunks(body: list[str]) -> Iterator[Hunk]:
    """The hunks of marked lines (`+`, `-`, blank), parted by lines with `@@`."""
    before: list[str] = []
    after: list[str] = []
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            if before or after:
                yield Hunk(tuple(before), tuple(after))
            before, after = [], []
        elif line.startswith("+"):
            after.append(line[1:])
        elif line.startswith("-"):
            before.append(line[1:])
        elif not line.startswith("\\"):
            before.append(line[1:])
            after.append(line[1:])


def diff_edits(text: str, path: str = "") -> list[FileEdit]:
    """The changes of a unified diff; `path` names a file whose diff has no header."""
    edits: list[FileEdit] = []
    hunks: list[Hunk] = []
    old, new = "", path
    lines = text.split("\n")
    number = 0

    def finish() -> None:
        name = new if new not in ("", "/dev/null") else old
        if not name:
            return
        if new == "/dev/null":
            edits.append(FileEdit(name, EditKind.DELETE))
        elif old == "/dev/null":
            written = tuple(line for hunk in hunks for line in hunk.after)
            edits.append(FileEdit(name, EditKind.WRITE, (Hunk((), written),)))
        elif hunks:
            edits.append(FileEdit(name, EditKind.REPLACE, tuple(hunks)))

    while number < len(lines):
        line = lines[number]
        number += 1
        if line.startswith("--- ") and number < len(lines) and lines[number].startswith("+++ "):
            finish()
            old, new, hunks = _name(line[4:], "a/"), _name(lines[number][4:], "b/"), []
            number += 1
            continue
        if match := _HUNK.match(line):
            body = _body(lines, number, int(match[1] or 1), int(match[2] or 1))
            hunks += _hunks(body)
            number += len(body)
    finish()
    return edits


def _body(lines: list[str], start: int, old: int, new: int) -> list[str]:
    """The rows of a hunk from `start` on, which has so many lines of the old and the new text."""
    body: list[str] = []
    for line in lines[start:]:
        row = line.removesuffix("\r")
        if (old <= 0 and new <= 0) or row[:1] not in ("+", "-", " ", "\\", ""):
            break
        old -= row[:1] in ("-", " ", "")
        new -= row[:1] in ("+", " ", "")
        body.append(row or " ")
    return body


def _name(text: str, prefix: str) -> str:
    name = text.split("\t")[0].strip().strip('"')
    return name if name == "/dev/null" else name.removeprefix(prefix)


def block_edits(text: str, path: str = "") -> list[FileEdit]:
    """The changes of SEARCH/REPLACE blocks, of `path` or of the file named above each block."""
    by_path: dict[str, list[Hunk]] = {}
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    number = 0
    while number < len(lines):
        if not _SEARCH.match(lines[number]):
            number += 1
            continue
        start = number + 1
        middle = _next(lines, start, _MIDDLE)
        end = _next(lines, middle + 1, _REPLACE)
        if end >= len(lines):
            break
        name = path or _named_above(lines, number) or next(reversed(by_path), "")
        search = lines[start:middle]
        if search and search[0].startswith(":start_line:"):  # Roo's form
            search = search[1:]
            search = search[1:] if search and set(search[0]) == {"-"} else search
        if name:
            hunk = Hunk(tuple(search), tuple(lines[middle + 1 : end]))
            by_path.setdefault(name, []).append(hunk)
        number = end + 1
    return [FileEdit(name, EditKind.REPLACE, tuple(hunks)) for name, hunks in by_path.items()]


def _next(lines: list[str], start: int, pattern: re.Pattern[str]) -> int:
    return next((n for n in range(start, len(lines)) if pattern.match(lines[n])), len(lines))


def _named_above(lines: list[str], number: int) -> str:
    """The file that a line just above a block names, past the fence that opens it."""
    for line in reversed(lines[max(0, number - 3) : number]):
        name = line.strip().strip("`*# ").rstrip(":")
        if name and not line.startswith("```") and " " not in name and re.search(r"[./]", name):
            return name
    return ""
