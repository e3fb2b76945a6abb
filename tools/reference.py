"""The reference of all commands, made from the commands themselves.

    make docs

Takes the command line as it is built; gives markdown. A test holds docs/reference.md to it.
"""

import inspect
from typing import Any

import typer

from dejavu.interfaces.cli.app import COMMANDS, build

_HEAD = """\
# Reference

Made from the program by `make docs`; do not edit.

Every command takes `-h`. Data goes to stdout, everything else to stderr. Exit codes: 0 ok,
1 failed, 2 usage, 3 not found, 4 archive locked or damaged, 130 interrupted.
"""


def _option(parameter: Any) -> str:
    """One row of a command's table."""
    if parameter.param_type_name == "argument":
        name = f"`{(parameter.metavar or parameter.name or '').upper()}`"
    else:
        names = [*parameter.opts, *parameter.secondary_opts]
        name = ", ".join(f"`{one}`" for one in names)
    told = " ".join(str(getattr(parameter, "help", "") or "").split()).replace("|", "\\|")
    return f"| {name} | {told} |"


def _command(name: str, command: Any) -> list[str]:
    told = inspect.cleandoc(command.help or "")
    rows = [
        _option(parameter)
        for parameter in command.params
        if parameter.name != "help" and not getattr(parameter, "hidden", False)
    ]
    table = ["", "| name | what it is |", "|---|---|", *rows] if rows else []
    return ["", f"## dejavu {name}", "", told, *table]


def reference() -> str:
    """The whole page."""
    group: Any = typer.main.get_command(build(COMMANDS))
    lines = [_HEAD.rstrip()]
    for name in sorted(COMMANDS):
        lines += _command(name, group.commands[name])
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
