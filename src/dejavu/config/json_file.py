"""JSON files of ours: an object each, replaced atomically, mode 0600."""

import json
from pathlib import Path
from typing import Any

from .files import read_regular_file, replace_file


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace `path` by `value` as JSON, atomically, readable by its owner alone.

    A byte that is not UTF-8 (a lone surrogate, in an argument or a path) is written as its JSON escape,
    so it is read back unchanged.
    """
    text = json.dumps(value, ensure_ascii=False)
    replace_file(path, text.encode("utf-8", "backslashreplace").decode("utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in `path`; empty if it is missing or not (yet) one."""
    try:
        value: object = json.loads(read_regular_file(path))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON
