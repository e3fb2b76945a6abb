"""Write the table of plain parameters that lets a plain line be read without typer.

    make docs

Made from typer's own parameters, so that options are declared in one place; a test holds
src/dejavu/interfaces/command_line/parameters.json to it. Left out are commands that pass options on, that
ask with typer or whose arguments are not text, and options of any type but text, time, whole number
and switch: typer reads lines with those.
"""

import json
from pathlib import Path
from typing import Any, get_args, get_origin

from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.help import is_argument, load
from dejavu.interfaces.command_line.simple_line import TABLE, command
from dejavu.interfaces.filters import parse_time


def _kind(parameter: Any) -> list[Any] | None:
    """`["text"]`, `["time"]` or `["number", least, most]`; None for any other type."""
    descriptor = parameter.type_descriptor
    if descriptor.parameter_info.parser is parse_time:
        return ["time"]
    if descriptor.parameter_info.parser is not None or parameter.multiple:
        return None
    if descriptor.annotation is str:
        return ["text"]
    info = descriptor.parameter_info
    return ["number", info.min, info.max] if descriptor.annotation is int else None


def _options(parameter: Any) -> dict[str, list[Any]]:
    if parameter.is_flag:
        on = {name: [parameter.name, "on"] for name in parameter.opts}
        return on | {name: [parameter.name, "off"] for name in parameter.secondary_opts}
    kind = _kind(parameter)
    return {name: [parameter.name, *kind] for name in parameter.opts} if kind else {}


def _is_text(parameter: Any) -> bool:
    annotation = parameter.type_descriptor.annotation
    if get_origin(annotation) is list:
        return get_args(annotation) == (str,)
    return annotation is str and parameter.type_descriptor.parameter_info.parser is None


def table() -> dict[str, dict[str, Any]]:
    """The parameters of each command that can be called without typer."""
    commands: dict[str, dict[str, Any]] = {}
    for name, entry in COMMANDS.items():
        own = [parameter for parameter in load(name).params if parameter.name != "help"]
        arguments = [parameter for parameter in own if is_argument(parameter)]
        if entry.passes_on or "typer" in command(name).__globals__:
            continue
        if not all(map(_is_text, arguments)) or any(a.nargs == -1 for a in arguments[:-1]):
            continue
        commands[name] = {
            "arguments": [[a.name, bool(a.required), a.nargs == -1] for a in arguments],
            "options": {
                option: value
                for parameter in own
                if not is_argument(parameter)
                for option, value in _options(parameter).items()
            },
        }
    return commands


def document() -> str:
    """The table as JSON, a line for each command."""
    lines = (f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in table().items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    Path(TABLE).write_text(document(), encoding="utf-8")
