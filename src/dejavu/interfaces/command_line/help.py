"""The text of help, made from the commands as data: `dejavu -h`, `dejavu COMMAND -h`, usage lines.

No colour and no boxes: help is read in pagers, by screen readers and in bug reports. A command's
module is imported for its own help alone. Imports no typer.
"""

import os
import textwrap
from collections.abc import Iterator
from typing import Annotated

from . import simple_line
from .commands import COMMANDS, GROUPS
from .parameters import Option, Parameter, parameters_of

_WIDEST = 80
_NARROWEST = 40
_NAMES = 30
"""The widest name that gets its text in the same row."""

HELP = Parameter("help", bool, Option("-h", "--help", help="Show this message and exit."))


def usage(name: str) -> str:
    """`dejavu show [OPTIONS] ID`; for an empty name that of `dejavu` itself."""
    if not name:
        return "dejavu [OPTIONS] COMMAND [ARGS]..."
    arguments = (one.label for one in _parameters(name) if one.is_argument)
    return " ".join(["dejavu", name, "[OPTIONS]", *arguments])


def description(name: str) -> str:
    """The docstring of a command, without the indentation of its source."""
    first, _, rest = (simple_line.command(name).__doc__ or "").partition("\n")
    return f"{first.strip()}\n{textwrap.dedent(rest)}".strip()


def shown_parameters(name: str) -> list[Parameter]:
    """The parameters of a command that its help names."""
    return [one for one in _parameters(name) if not one.declared.hidden]


def command_help(name: str) -> str:
    """The help of one command."""
    shown = shown_parameters(name)
    arguments = [(one.spelling, one.description) for one in shown if one.is_argument]
    options = [(one.spelling, one.description) for one in (*shown, HELP) if not one.is_argument]
    lines = [*_usage(name), "", *_paragraphs(description(name))]
    for title, rows in (("Arguments", arguments), ("Options", options)):
        if rows:
            lines += ["", f"{title}:", *_rows(rows)]
    return "\n".join(lines)


def options(
    version: Annotated[bool, Option("--version", help="Show the version.")] = False,
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Write diagnostics to stderr.")
    ] = False,
    plain: Annotated[
        bool, Option("--plain", help="Browse line by line, for screen readers.")
    ] = False,
) -> None:
    """See past agent conversations again, whichever agent held them."""


def program_help() -> str:
    """The help of `dejavu` itself."""
    own = [(one.spelling, one.description) for one in (*parameters_of(options), HELP)]
    lines = [*_usage(""), "", *_paragraphs(options.__doc__ or ""), "", "Options:", *_rows(own)]
    width = max(map(len, COMMANDS))
    for group in GROUPS:
        rows = [
            (name.ljust(width), entry.summary)
            for name, entry in COMMANDS.items()
            if entry.group == group
        ]
        lines += ["", f"{group}:", *_rows(rows)]
    return "\n".join(lines)


def _parameters(name: str) -> tuple[Parameter, ...]:
    return parameters_of(simple_line.command(name))


def _width() -> int:
    """The columns that help may take."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or _WIDEST
    except ValueError:
        try:
            columns = os.get_terminal_size(1).columns
        except OSError:
            columns = _WIDEST
    return max(_NARROWEST, min(columns, _WIDEST))


def _usage(name: str) -> list[str]:
    first = f"Usage: dejavu {name}".rstrip() + " "
    rest = usage(name).removeprefix(f"dejavu {name}".rstrip()).strip()
    return textwrap.wrap(first + rest, _width(), subsequent_indent=" " * min(len(first), 20))


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ""
        yield from textwrap.wrap(
            " ".join(paragraph.split()), _width(), initial_indent="  ", subsequent_indent="  "
        )


def _rows(rows: list[tuple[str, str]]) -> Iterator[str]:
    """Names on the left, texts wrapped on the right."""
    column = max((len(name) for name, _ in rows if len(name) <= _NAMES), default=_NAMES) + 4
    column = min(column, _width() // 2)
    for name, text in rows:
        first = f"  {name}".ljust(column)
        if len(first) > column or not first.endswith("  "):
            yield first.rstrip()
            first = " " * column
        indent = " " * column
        yield from textwrap.wrap(
            text, _width(), initial_indent=first, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False,
        ) or [first.rstrip()]  # fmt: skip
