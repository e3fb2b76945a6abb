"""The types of the table of commands, and the headings of help. Imports nothing of ours.

Tested in: tests/interfaces/command_line/test_help.py
"""

from typing import NamedTuple

HISTORY, RUNNING, SETUP = HEADINGS = ("History", "Running agents", "Set up")
ALSO, MORE = REST = ("More for conversations and agents", "For scripts and rule authors")
"""Shown by `dejavu help commands` alone."""


class Entry(NamedTuple):
    """`module` is one of `cli/`, of the interfaces or of the extension that declares it.

    Its function `command` is the command, or the one that is named behind a colon.

    heading: a title of `HEADINGS` or `REST`, or a group of `GROUPS`.
    passes_on: options after the first argument belong to the program that is run.
    """

    heading: str
    summary: str
    module: str
    passes_on: bool = False


class Table(NamedTuple):
    """Commands by name, the summaries of groups, and what each old name is now."""

    commands: dict[str, Entry]
    groups: dict[str, str]
    old_names: dict[str, str]
