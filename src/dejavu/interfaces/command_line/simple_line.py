"""Read a right command line without typer, whose import costs as much as a whole `dejavu list`.

Read here are options by their exact names, with the value in the next word or after `=`, and
arguments that do not start with a hyphen. `parse` returns None for everything else, right or wrong,
and typer reads that line: there is no error and no help here. A test holds this module to typer.
O(words).
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from .commands import COMMANDS
from .parameters import Parameter, parameters_of

_COMMANDS = "dejavu.interfaces.cli."


def command(name: str) -> Callable[..., Any]:
    """The function of the command `name`; imports its module."""
    module = COMMANDS[name].module  # of an extension, it is the whole name
    function: Callable[..., Any] = import_module(
        module if "." in module else _COMMANDS + module
    ).command
    return function


def parse(name: str, words: list[str]) -> dict[str, Any] | None:
    """The values to call the command with, by parameter; None where the line is not plain."""
    parameters = parameters_of(command(name))
    options = {flag: one for one in parameters for flag in (*one.on, *one.off)}
    values: dict[str, Any] = {}
    positional: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            positional.append(word)
            if COMMANDS[name].passes_on:
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
