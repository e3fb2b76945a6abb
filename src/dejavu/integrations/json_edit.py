"""JSON as text: entries put in and taken out without touching another byte.

Reads JSON with comments and trailing commas, as JSONC and JSON5 editors leave them. What is inserted
follows the file's own indentation and line ends; a file on one line stays on one line. O(text) an
edit.

Raises `UnreadableFileError` for what is not JSON, and where an entry prevents ours.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from dejavu.model import ConfigError

_GAP = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null', re.DOTALL
)
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)?")


class UnreadableFileError(ConfigError):
    """A configuration that is left alone; the text says where and why."""


@dataclass(slots=True)
class Node:
    """A value and where it is. Members of an object begin at their key."""

    begin: int
    start: int
    end: int
    value: Any
    keys: list[str] = field(default_factory=list[str])
    children: list["Node"] = field(default_factory=list["Node"])
    comma: int | None = None
    """Where the comma behind it is."""

    @property
    def container(self) -> bool:
        """Whether it is an object or an array."""
        return isinstance(self.value, dict | list)

    def at(self, key: str) -> "Node | None":
        """The member of that name; the last one, as readers take it."""
        members = [
            child for name, child in zip(self.keys, self.children, strict=False) if name == key
        ]
        return members[-1] if members else None


def parse(text: str) -> Node:
    """The document in `text`.

    Raises:
        UnreadableFileError: it is not JSON; the text names line and column.
    """
    start = _gap(text, 0)
    try:
        node = _value(text, start, start)
    except RecursionError:
        raise UnreadableFileError("it is nested too deeply") from None
    if _gap(text, node.end) != len(text):
        raise _wrong(text, _gap(text, node.end))
    return node


def _gap(text: str, position: int) -> int:
    match = _GAP.match(text, position)
    return match.end() if match else position


def _wrong(text: str, position: int) -> UnreadableFileError:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return UnreadableFileError(f"not JSON at line {line}, column {column}")


def _value(text: str, begin: int, start: int) -> Node:
    if text[start : start + 1] in ("{", "["):
        return _container(text, begin, start)
    match = _SCALAR.match(text, start)
    if match is None:
        raise _wrong(text, start)
    try:
        return Node(begin, start, match.end(), json.loads(match[0]))
    except ValueError:
        raise _wrong(text, start) from None


def _container(text: str, begin: int, start: int) -> Node:
    is_object = text[start] == "{"
    node = Node(begin, start, start, {} if is_object else [])
    position = _gap(text, start + 1)
    while text[position : position + 1] != ("}" if is_object else "]"):
        if node.children and node.children[-1].comma is None:
            raise _wrong(text, position)
        at, key = position, ""
        if is_object:
            name = _SCALAR.match(text, position)
            if name is None or name[0][0] != '"':
                raise _wrong(text, position)
            key = json.loads(name[0], strict=False)
            position = _gap(text, name.end())
            if text[position : position + 1] != ":":
                raise _wrong(text, position)
            position = _gap(text, position + 1)
        child = _value(text, at, position)
        node.children.append(child)
        if is_object:
            node.keys.append(key)
            node.value[key] = child.value
        else:
            node.value.append(child.value)
        position = _gap(text, child.end)
        if text[position : position + 1] == ",":
            child.comma = position
            position = _gap(text, position + 1)
    node.end = position + 1
    return node


def put(text: str, path: tuple[str, ...], value: Any) -> str:
    """`text` with the member at `path` set to `value`; objects on the way are made."""
    root, node = parse(text), None
    for depth, key in enumerate(path):
        node = root if node is None else node
        if not isinstance(node.value, dict):
            raise UnreadableFileError(
                f"{'.'.join(path[:depth]) or 'the document'} is not an object"
            )
        below = node.at(key)
        if below is None:
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _insert(text, root, node, key, value)
        node = below
    assert node is not None  # noqa: S101 - a path has at least one key
    if node.value == value:
        return text
    shown = _render(text, root, value, _indent(text, node.begin))
    return text[: node.start] + shown + text[node.end :]


def append(text: str, path: tuple[str, ...], value: Any) -> str:
    """`text` with `value` as the last item of the array at `path`, which is made if missing."""
    root = node = parse(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise UnreadableFileError(
                f"{'.'.join(path[:depth]) or 'the document'} is not an object"
            )
        below = node.at(key)
        if below is None:
            return put(text, path, [value])
        node = below
    if not isinstance(node.value, list):
        raise UnreadableFileError(f"{'.'.join(path)} is not an array")
    return _insert(text, root, node, None, value)


def drop(text: str, unwanted: Callable[[tuple[str | int, ...], Any], bool]) -> str:
    """`text` without the entries that are `unwanted(path, value)`."""
    while unwanted_entry := next(_matches(parse(text), (), unwanted), None):
        text = _cut(text, *unwanted_entry)
    return text


def _matches(
    node: Node, path: tuple[str | int, ...], unwanted: Callable[[tuple[str | int, ...], Any], bool]
) -> Iterator[tuple[Node, int]]:
    for index, child in enumerate(node.children):
        below = (*path, node.keys[index] if node.keys else index)
        if unwanted(below, child.value):
            yield node, index
        elif child.container:
            yield from _matches(child, below, unwanted)


def _cut(text: str, node: Node, index: int) -> str:
    child = node.children[index]
    begin = len(text[: child.begin].rstrip())
    cuts = [(begin, child.end)]
    if child.comma is not None:
        cuts.append((child.comma, child.comma + 1))
    elif index:
        comma = node.children[index - 1].comma
        assert comma is not None  # noqa: S101 - there is one between two entries
        cuts.append((comma, comma + 1))
        if begin == comma + 1:
            cuts[0] = (begin, child.end)
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    if len(node.children) == 1:
        end = _gap(text, node.start + 1)
        if not text[node.start + 1 : end].strip():
            text = text[: node.start + 1] + text[end:]
    return text


# -- what is inserted --------------------------------------------------------------------------


def _insert(text: str, root: Node, node: Node, key: str | None, value: Any) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    spread = _spread(text, root, node)
    outer = _indent(text, node.start)
    inner = _own_indent(text, node.children[0]) if node.children else None
    indent = inner if inner is not None else outer + _unit(text, root)
    entry = _render(text, root, value, indent if spread else None)
    if key is not None:
        entry = json.dumps(key, ensure_ascii=False) + ": " + entry
    lead = newline + indent if spread else ""
    if not node.children:
        inside = text[node.start + 1 : node.end - 1]
        close = newline + outer if spread and "\n" not in inside else ""
        return text[: node.start + 1] + lead + entry + inside + close + text[node.end - 1 :]
    last = node.children[-1]
    if not spread:
        lead = " "
    if last.comma is not None:
        at = _line_end(text, last.comma + 1)
        return text[:at] + lead + entry + "," + text[at:]
    at = _line_end(text, last.end) if spread else last.end
    return text[: last.end] + "," + text[last.end : at] + lead + entry + text[at:]


def _line_end(text: str, position: int) -> int:
    """Behind the comment that belongs to what ends at `position`."""
    match = _REST_OF_LINE.match(text, position)
    end = match.end() if match else position
    return end if text[position:end].strip() else position


def _spread(text: str, root: Node, node: Node) -> bool:
    """Whether entries of `node` stand on lines of their own."""
    if node.children:
        return _own_indent(text, node.children[0]) is not None
    if root.children:
        return _own_indent(text, root.children[0]) is not None
    return True


def _own_indent(text: str, child: Node) -> str | None:
    """The blanks before an entry that begins its line; None if it does not."""
    before = text[text.rfind("\n", 0, child.begin) + 1 : child.begin]
    return before if "\n" in text[: child.begin] and not before.strip() else None


def _indent(text: str, position: int) -> str:
    """The blanks at the beginning of the line at `position`."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str, root: Node) -> str:
    own = _own_indent(text, root.children[0]) if root.children else None
    return own or "  "


def _render(text: str, root: Node, value: Any, indent: str | None) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    shown = json.dumps(value, ensure_ascii=False, indent=_unit(text, root))
    return shown.replace("\n", newline + indent)


def mapping(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """`value` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType] - JSON


def value_at(value: Any, path: tuple[str, ...]) -> Any:
    """What is at `path` of a document's value; None if nothing does."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = cast("dict[str, Any]", value).get(key)
    return value
