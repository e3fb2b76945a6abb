"""A wrong use in one sentence, and the usage line. Knows typer's errors by their names alone."""

import shlex
from itertools import pairwise
from typing import Any

from . import help, other_words, simple_line  # noqa: A004 - our module of that name
from .commands import GROUPS
from .parameters import Parameter, parameters_of
from .simple_line import find


def refusal(name: str, sentence: str) -> str:
    """What is printed where the command `name` cannot be run so."""
    from dejavu.redact.sanitise import sanitise  # its tables are of no use to a right command

    path = f"dejavu {name}".rstrip()
    first = sanitise(f"{path}: {sentence}", newlines=False)
    return f"{first}\nusage: {help.usage(name)}   (`{path} -h` tells more)"


def usage_error(error: Any) -> str:
    """What is printed for an error that typer raised."""
    context = getattr(error, "ctx", None)
    path = "dejavu" if context is None else context.command_path
    name = path.removeprefix("dejavu").strip()
    return refusal(
        name if name in GROUPS else find([*name.split()]).name if name else "", _sentence(error)
    )


def _sentence(error: Any) -> str:
    kind = type(error).__name__
    parameters = error.ctx.command.params if getattr(error, "ctx", None) else ()
    if kind == "NoSuchOption":
        return f"unknown option {error.option_name}{_meant(error)}"
    if kind == "BadOptionUsage":
        flags = {name for one in parameters if getattr(one, "is_flag", False) for name in one.opts}
        needs = "takes no" if error.option_name in flags else "needs a"
        return f"{error.option_name} {needs} value"
    message = str(error.message).removesuffix(".")
    parameter = getattr(error, "param", None)
    if parameter is not None and parameter.param_type_name == "option":
        return f"{parameter.opts[0]}: {message}"
    return message if " is missing" in message else message[:1].lower() + message[1:]


def _meant(error: Any) -> str:
    """What is meant by an option that its command does not have."""
    context = error.ctx
    if context is None:
        return ""
    name = context.command_path.removeprefix("dejavu").strip()
    options = {flag for one in context.command.params for flag in one.opts}
    if not name or name in GROUPS:
        return other_words.option(error.option_name, name, options)
    name = find([*name.split()]).name
    labels = {one.label.strip("[].").split()[0] for one in _parameters(name) if one.is_argument}
    takes_words = bool(labels & {"QUERY", "TEXT", "TOPIC", "ERROR", "COMMAND", "WORD"})
    meant = other_words.option(error.option_name, name, options, takes_words=takes_words)
    if meant or "ID" not in labels:
        return meant
    for one in _parameters("list"):
        if error.option_name in one.on:
            value = "" if one.is_switch else _value(error) or one.label
            listed = f"{error.option_name} {value}".rstrip()
            return other_words.option(listed, name, (), listed={listed})
    return ""


def _value(error: Any) -> str:
    """The value that was typed for an unknown option, quoted; empty where there is none."""
    for word, following in pairwise((*getattr(error, "words", ()), "")):
        flag, equals, text = word.partition("=")
        if flag == error.option_name and (equals or not following.startswith("-")):
            value = text if equals else following
            return shlex.quote(value) if value else ""
    return ""


def _parameters(command: str) -> tuple[Parameter, ...]:
    return parameters_of(simple_line.command(command))
