"""Write the reference of all commands, in markdown, from the commands themselves.

    make docs

A test holds docs/reference.md to it.
"""

import re

from dejavu.interfaces.command_line.commands import COMMANDS, OLD_NAMES
from dejavu.interfaces.command_line.help import description, examples, shown_parameters
from dejavu.interfaces.command_line.parameters import Parameter

_HEAD = """\
# Reference

Made from the program by `make docs`; do not edit.

Every command takes `-h`. Data goes to stdout, everything else to stderr. Exit codes: 0 ok,
1 failed, 2 usage, 3 not found, 4 archive locked or damaged, 130 interrupted, 141 reader of stdout
gone. `dejavu -v COMMAND` writes diagnostics to stderr.
"""


def _option(parameter: Parameter) -> str:
    """One row of a command's table."""
    if parameter.is_argument:
        label = parameter.label
        name = f"`{label[1:-1] if label[0] == '[' and label[-1] == ']' else label}`"
    else:
        name = ", ".join(f"`{option}`" for option in (*parameter.on, *parameter.off))
    text = " ".join(parameter.description.split()).replace("|", "\\|")
    return f"| {name} | {text} |"


def _command(name: str) -> list[str]:
    rows = [_option(parameter) for parameter in shown_parameters(name)]
    table = ["", "| name | what it is |", "|---|---|", *rows] if rows else []
    text = re.sub(r"(?m)^  (?=\S)", "    ", description(name))  # tables, as code
    shown = ["", *(f"    {line}" for line in examples(name))]
    return ["", f"## dejavu {name}", "", text, *table, *shown]


def reference() -> str:
    """The whole page."""
    lines = [_HEAD.rstrip()]
    for name in sorted(COMMANDS):
        lines += _command(name)
    lines += ["", "## Old names", "", "These still work.", "", "| old | now |", "|---|---|"]
    lines += [f"| `{old}` | `dejavu {new}` |" for old, new in OLD_NAMES.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
