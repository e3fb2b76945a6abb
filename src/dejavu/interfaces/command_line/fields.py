"""Rows with chosen fields (`--json=id,title`), and as lines of a template (`--format`). O(rows)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dejavu.model import InvalidValueError

from .output import json_text, one_line

_NAME = re.compile(r"\{(\w+)\}")


def select(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The rows with these fields alone, in this order; null where a row has no such field.

    Raises:
        InvalidValueError: a field that no row has. Without rows every name is taken.
    """
    _check(rows, names)
    return [{name: row.get(name) for name in names} for row in rows]


def formatted(rows: Sequence[Mapping[str, Any]], template: str) -> Iterator[str]:
    r"""A safe text for each row: `{title}` is that field; `\t` and `\n` are a tab and a new line.

    Raises:
        InvalidValueError: a field that no row has.
    """
    _check(rows, _NAME.findall(template))
    layout = template.replace("\\t", "\t").replace("\\n", "\n")
    for row in rows:
        pieces = _NAME.split(layout)  # text, name, text, name ...
        pieces[1::2] = [_shown(row.get(name)) for name in pieces[1::2]]
        yield "".join(pieces)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return one_line(value if isinstance(value, str) else json_text(value))


def _check(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
    known = dict.fromkeys(name for row in rows for name in row)
    unknown = [name for name in names if name not in known]
    if known and unknown:
        raise InvalidValueError(f"no field {unknown[0]!r}; there are {', '.join(known)}")
