"""Small JSON files of ours: replaced atomically, mode 0600, read as an object or as none."""

import json
import os
from pathlib import Path
from typing import Any


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace `path` by `value`, atomically, readable by its owner alone."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)
    scratch.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """The object in `path`; empty where it is missing or not (yet) one."""
    try:
        value: object = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON
