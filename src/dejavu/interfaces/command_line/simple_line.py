"""Read a plain command line off the table made from typer's declarations, without typer.

Plain is: the command first, options by their full names with a value of their own word, arguments
that do not start with a hyphen, every value a text, a time or a whole number within its limits. `parse`
returns None for everything else, right or wrong, and typer reads that line: there is no error and
no help here. `make docs` writes the table; a test holds it and this module to typer. O(words).
"""

import json
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from dejavu.model import InvalidValueError

from .commands import COMMANDS

TABLE = os.path.join(os.path.dirname(__file__), "parameters.json")  # noqa: PTH118, PTH120 - without pathlib
_COMMANDS = "dejavu.interfaces.cli."


def command(name: str) -> Callable[..., Any]:
    """The function of the command `name`; imports its module."""
    function: Callable[..., Any] = import_module(_COMMANDS + COMMANDS[name].module).command
    return function


def parse(line: list[str]) -> dict[str, Any] | None:
    """The values to call the command with, by parameter; None where the line is not plain."""
    parameters = _parameters(line[0]) if line else None
    return None if parameters is None else _read(parameters, iter(line[1:]))


def has_option(name: str, option: str) -> bool:
    """Whether the table has `option` (its full name) for the command `name`."""
    parameters = _parameters(name)
    return parameters is not None and option in parameters["options"]


def _parameters(name: str) -> Any:
    """The command's options and arguments; None where the table does not have it."""
    if name not in COMMANDS:
        return None
    with open(TABLE, encoding="utf-8") as file:  # noqa: PTH123 - without pathlib
        return json.load(file).get(name)


def _read(parameters: dict[str, Any], words: Any) -> dict[str, Any] | None:
    values: dict[str, Any] = {}
    positional: list[str] = []
    for word in words:
        if not word.startswith("-"):
            positional.append(word)
            continue
        name, kind, *limits = parameters["options"].get(word, ("", ""))
        if not name or name in values:
            return None
        value = _value(kind, limits, words)
        if value is None:
            return None
        values[name] = value
    return values if _assign(parameters["arguments"], positional, values) else None


def _value(kind: str, limits: list[int | None], words: Any) -> Any:
    """The value of an option; None where it has none that is plain."""
    if kind in ("on", "off"):
        return kind == "on"
    text: str = next(words, "-")
    if text.startswith("-"):
        return None
    if kind == "text":
        return text
    if kind == "time":
        return _time(text)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return None
    number, (least, most) = int(text), limits
    within = (least is None or number >= least) and (most is None or number <= most)
    return number if within else None


def _time(text: str) -> float | None:
    from ..filters import parse_time

    try:
        return parse_time(text)
    except InvalidValueError:
        return None


def _assign(arguments: list[Any], positional: list[str], values: dict[str, Any]) -> bool:
    """Put the words into `values` by the arguments' order; whether all of it fits."""
    for name, required, many in arguments:
        if many and positional:
            values[name], positional = positional, []
        elif positional:
            values[name] = positional.pop(0)
        elif required:
            return False
    return not positional
