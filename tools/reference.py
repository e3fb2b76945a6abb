"""Write the reference of all commands, in markdown, from the commands themselves.

    make docs

A test holds docs/reference.md to it.
"""

import inspect
from typing import Any

from dejavu.interfaces.command_line.commands import COMMANDS
from dejavu.interfaces.command_line.help import argument_name, is_argument, load, parameter_help

_HEAD = """\
# Reference

Made from the program by `make docs`; do not edit.

Every command takes `-h`. Data goes to stdout, everything else to stderr. Exit codes: 0 ok,
1 failed, 2 usage, 3 not found, 4 archive locked or damaged, 130 interrupted, 141 reader of stdout
gone. `dejavu -v COMMAND` writes diagnostics to stderr.
"""


def _option(parameter: Any) -> str:
    """One row of a command's table."""
    if is_argument(parameter):
        name = f"`{argument_name(parameter).strip('[]')}`"
    else:
        names = [*parameter.opts, *parameter.secondary_opts]
        name = ", ".join(f"`{option}`" for option in names)
    text = " ".join(parameter_help(parameter).split()).replace("|", "\\|")
    return f"| {name} | {text} |"


def _command(name: str, command: Any) -> list[str]:
    text = inspect.cleandoc(command.help or "")
    rows = [
        _option(parameter)
        for parameter in command.params
        if parameter.name != "help" and not getattr(parameter, "hidden", False)
    ]
    table = ["", "| name | what it is |", "|---|---|", *rows] if rows else []
    return ["", f"## dejavu {name}", "", text, *table]


def reference() -> str:
    """The whole page."""
    lines = [_HEAD.rstrip()]
    for name in sorted(COMMANDS):
        lines += _command(name, load(name))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
