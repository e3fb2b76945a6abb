"""Convert the words of a command line to text, numbers, paths and choices. No I/O except for paths.

Tested in: tests/interfaces/command_line/test_parameters.py
"""

import math
import os
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .parameters import Declared


def convert(text: str, kind: type, declared: "Declared") -> Any:
    """The value of type `kind` that `text` means: int, float, an enum or a path.

    Raises:
        ValueError: it means none; the text says why.
    """
    if kind in (int, float):
        return _number(text, kind, declared)
    return _choice(text, kind) if issubclass(kind, Enum) else _path(text, declared)


def _number(text: str, kind: type, declared: "Declared") -> Any:
    try:
        number = kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise ValueError(f"{text!r} is not {what}") from None
    if math.isnan(number):
        raise ValueError(f"{text!r} is not a number")
    if declared.min is not None and number < declared.min:
        raise ValueError(f"must be {declared.min:g} or more")
    if declared.max is not None and number > declared.max:
        raise ValueError(f"must be {declared.max:g} or less")
    return number


def _choice(text: str, kind: type[Enum]) -> Enum:
    try:
        return kind(text)
    except ValueError:
        from dejavu.model.edit_distance import distance

        from ..filters import did_you_mean
        from . import other_words

        choices = [str(member.value) for member in kind]
        near = did_you_mean(text, [one for one in choices if one[:1] == text[:1].lower()])
        if near and distance(text, near.split("'")[1]) > max(1, len(text) // 3):
            near = ""
        near = other_words.value(text, choices) or near
        raise ValueError(f"{text!r} is not one of {', '.join(choices)}{near}") from None


def _path(text: str, declared: "Declared") -> Any:
    from pathlib import Path

    path = Path(text)
    if not path.exists():
        if declared.exists:
            what = "file" if declared.file_okay else "folder"
            raise ValueError(f"{path}: no such {what}")
        return path
    if not declared.dir_okay and path.is_dir():
        raise ValueError(f"{path} is a folder, not a file")
    if not declared.file_okay and not path.is_dir():
        raise ValueError(f"{path} is not a folder")
    if declared.exists and not os.access(path, os.R_OK):
        raise ValueError(f"{path} cannot be read")
    return path
