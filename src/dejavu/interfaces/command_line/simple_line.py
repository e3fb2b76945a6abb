"""Read a right command line without typer, whose import costs as much as a whole `dejavu list`.

`find` says which command a line names; only where the core has none are the extensions asked. Read
here are options by their exact names, with the value in the next word or after `=`, and arguments
that do not start with a hyphen, or follow `--`. `parse` returns None for everything else, right or
wrong, and typer reads that line: there is no error and no help here. A test holds this module to
typer. O(words).
"""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from .core_commands import CORE
from .entry import Entry, Table
from .parameters import Parameter, parameters_of

_COMMANDS = "dejavu.interfaces.cli."
_HELP = {"-h", "--help"}


class SimpleLine(NamedTuple):
    """A command line: the command (empty where there is none of that name) and the rest.

    old, new: the words for the command where an old name was used.
    """

    name: str
    words: list[str]
    old: str = ""
    new: str = ""


def find(words: list[str]) -> SimpleLine:
    """The command that a line names, at once under its new name.

    A group alone, or with a word that is none of its commands, is no command. An extension's module
    is imported only where the core has no such command.
    """
    line = _find(CORE, words)
    return line if line.name else _find(_all(), words)


def entry(name: str) -> Entry:
    """The command of that name.

    Raises:
        KeyError: there is none.
    """
    return CORE.commands.get(name) or _all().commands[name]


def _all() -> Table:
    from .commands import ALL  # imports a module of each extension

    return ALL


def _find(table: Table, words: list[str]) -> SimpleLine:
    first, rest = words[0], words[1:]
    if rest and f"{first} {rest[0]}" in table.commands:
        return SimpleLine(f"{first} {rest[0]}", rest[1:])
    if first in table.commands:
        return SimpleLine(first, rest)
    is_group = first in table.groups and (_HELP & set(rest) or (rest and rest[0][:1] != "-"))
    if first not in table.old_names or is_group:
        return SimpleLine("", words)
    new = table.old_names[first]
    return _find(table, [*new.split(), *rest])._replace(old=first, new=new)


def command(name: str) -> Callable[..., Any]:
    """The function of the command `name`; imports its module."""
    _load_msgspec()
    module, _, attribute = entry(name).module.partition(":")  # of an extension, the whole name
    place = import_module(module if "." in module else _COMMANDS + module)
    function: Callable[..., Any] = getattr(place, attribute or "command")
    return function


def _load_msgspec() -> None:
    """Load what every command needs: it takes `typing_extensions` where it is, 14 ms for nothing more."""
    if "msgspec" not in sys.modules and "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # a module that is not there
        try:
            import_module("msgspec")
        finally:
            del sys.modules["typing_extensions"]


def parse(name: str, words: list[str]) -> dict[str, Any] | None:
    """The values to call the command with, by parameter; None where the line is not plain."""
    parameters = parameters_of(command(name))
    options = {flag: one for one in parameters for flag in (*one.on, *one.off)}
    values: dict[str, Any] = {}
    positional: list[str] = []
    passes_on = entry(name).passes_on
    rest = iter(words)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            positional.append(word)
            if passes_on:
                positional += rest
        elif word == "--":
            positional += rest
        elif not _take_option(options, word, rest, values):
            return None
    arguments = [one for one in parameters if one.is_argument]
    return values if _assign(arguments, positional, values) else None


def _take_option(
    options: dict[str, Parameter], word: str, rest: Iterator[str], values: dict[str, Any]
) -> bool:
    """Put the value of the option `word` into `values`; whether it is plain."""
    flag, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
    parameter = options.get(flag)
    if parameter is None or (parameter.name in values and not parameter.many):
        return False
    if parameter.is_switch:
        values[parameter.name] = flag in parameter.on
        return not equals
    if not equals:
        text = next(rest, "-")
        if text.startswith("-"):
            return False
    try:
        value = parameter.value(text)
    except ValueError:
        return False
    values[parameter.name] = [*values.get(parameter.name, ()), value] if parameter.many else value
    return True


def _assign(arguments: list[Parameter], positional: list[str], values: dict[str, Any]) -> bool:
    """Put the words into `values` by the arguments' order; whether all of it fits."""
    try:
        for one in arguments:
            if one.many and positional:
                values[one.name] = [one.value(text) for text in positional]
                positional = []
            elif positional:
                values[one.name] = one.value(positional.pop(0))
            elif one.required:
                return False
    except ValueError:
        return False
    return not positional
