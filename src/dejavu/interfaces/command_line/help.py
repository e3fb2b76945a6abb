"""The text of help, made from the commands as data: `dejavu -h`, `dejavu COMMAND -h`, usage lines.

No colour and no boxes: help is read in pagers, by screen readers and in bug reports. A command's
module is imported for its own help alone. Imports no typer.
"""

import os
import textwrap
from collections.abc import Iterator
from typing import Annotated

from . import simple_line
from .commands import COMMANDS, GROUPS, OLD_NAMES, in_group
from .entry import HEADINGS, REST, Entry
from .parameters import Option, Parameter, parameters_of

_WIDEST = 80
_NARROWEST = 40
_NAMES = 30
"""The widest name that gets its text in the same row."""

HELP = Parameter("help", bool, Option("-h", "--help", help="Show this message and exit."))


_USAGE = "dejavu [OPTIONS] COMMAND [ARGS]..."


def usage(name: str) -> str:
    """`dejavu show [OPTIONS] ID`; for an empty name that of `dejavu` itself."""
    if name not in COMMANDS:
        return " ".join(["dejavu", name, "COMMAND [ARGS]..."]) if name else _USAGE
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
    lines += ["", "Examples:", *(f"  {line}" for line in examples(name))]
    return "\n".join(lines)


def examples(name: str) -> tuple[str, ...]:
    """One to three lines that use the command."""
    from .examples import EXAMPLES

    return EXAMPLES[name]


def options(
    version: Annotated[bool, Option("--version", help="Show the version.")] = False,
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Write diagnostics to stderr.")
    ] = False,
    plain: Annotated[
        bool, Option("--plain", help="Browse line by line, for screen readers.")
    ] = False,
) -> None:
    """Search, reread and reuse every conversation you've had with an AI coding agent."""


def text_of(words: list[str]) -> str | None:
    """The help of what `words` name: nothing, a group or a command; None for none such."""
    if not words:
        return program_help()
    if len(words) == 1 and words[0] in GROUPS and words[0] not in COMMANDS:
        return group_help(words[0])
    line = simple_line.find(words)
    return command_help(line.name) if line.name and not line.words else None


def topic(words: list[str]) -> str | None:
    """The text of `dejavu help TOPIC`; None where `words` are no topic."""
    from .topics import TOPICS

    if words == ["commands"]:
        return all_commands()
    return TOPICS.get(words[0]) if len(words) == 1 else None


def program_help() -> str:
    """The help of `dejavu` itself: the commands that people use, in 40 lines."""
    width = max(len(name) for heading in HEADINGS for name in in_group(heading)) + 4
    lines = [*_usage(""), "", *_paragraphs(options.__doc__ or "")]
    for heading in HEADINGS:
        lines += ["", f"{heading}:", *_rows(_summaries(in_group(heading)), width)]
    lines += ["", "Groups (`dejavu GROUP -h`):", *_rows(list(GROUPS.items()), width)]
    return "\n".join(
        [
            *lines,
            *(
                row
                for text in _LAST
                for row in textwrap.wrap(text, _width(), break_on_hyphens=False)
            ),
        ]
    )


def group_help(group: str) -> str:
    """The help of a group of commands."""
    lines = [f"Usage: dejavu {group} COMMAND [ARGS]...", "", f"  {GROUPS[group]}.", "", "Commands:"]
    rows = [(name.partition(" ")[2], text) for name, text in _summaries(in_group(group))]
    return "\n".join([*lines, *_rows(rows), "", f"`dejavu {group} COMMAND -h` shows the options."])


def all_commands() -> str:
    """Every command, the old names, and the options of `dejavu` itself."""
    lines = ["Options:"]
    own = (*parameters_of(options), HELP)
    lines += _rows([(one.spelling, one.description) for one in own])
    for heading in (*HEADINGS, *GROUPS, *REST):
        lines += ["", f"{heading[:1].upper()}{heading[1:]}:", *_rows(_summaries(in_group(heading)))]
    old = [(name, f"dejavu {new}") for name, new in OLD_NAMES.items()]
    return "\n".join([*lines, "", "Old names, which still work:", *_rows(old)])


_LAST = (
    "`dejavu` alone opens the browser, `dejavu --plain` the same line by line.",
    "`dejavu help commands` has the rest: star, tag, rename, undelete, at, desk ...",
    "`dejavu help TOPIC`: query, sources, privacy, files, exit-codes.",
)


def _summaries(commands: dict[str, Entry]) -> list[tuple[str, str]]:
    return [(name, entry.summary) for name, entry in commands.items()]


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
        if paragraph.startswith("  "):  # a table
            for row in paragraph.rstrip().split("\n"):
                yield from _table_row(row)
            continue
        yield from textwrap.wrap(
            " ".join(paragraph.split()), _width(), initial_indent="  ", subsequent_indent="  "
        )


def _table_row(row: str) -> list[str]:
    """A row of a table; what is too wide continues below its last column."""
    left = row.rstrip().rfind("  ") + 2
    if len(row) <= _width() or left < 4:
        return [row]
    return textwrap.wrap(
        row[left:], _width(), initial_indent=row[:left], subsequent_indent=" " * left,
        break_on_hyphens=False,
    )  # fmt: skip


def _rows(rows: list[tuple[str, str]], column: int = 0) -> Iterator[str]:
    """Names on the left, texts wrapped on the right, from `column` on where that is given."""
    names = (len(name) for name, _ in rows if len(name) <= _NAMES)
    column = column or max(names, default=_NAMES) + 4
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
