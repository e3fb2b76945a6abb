"""Small files of ours: replaced atomically, mode 0600; JSON ones read as an object or as none."""

import json
import os
from pathlib import Path
from typing import Any


def replace_file(path: Path, text: str) -> None:
    """Replace `path` by `text` (UTF-8), atomically, readable by its owner alone.

    Raises:
        OSError: it cannot be written, by a full disk too; `filename` is always set.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:  # a write names no file
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    temporary.replace(path)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace `path` by `value` as JSON, atomically, readable by its owner alone.

    A byte that is no UTF-8 (a lone surrogate, in an argument or a path) is written as JSON's escape
    of it, and so is read as it was.
    """
    text = json.dumps(value, ensure_ascii=False)
    replace_file(path, text.encode("utf-8", "backslashreplace").decode("utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in `path`; empty if it is missing or not (yet) one."""
    try:
        value: object = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON
