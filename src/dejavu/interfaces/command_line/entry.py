"""One command as data, and the headings of help. Imports nothing."""

from typing import NamedTuple

HISTORY, RUNNING, SETUP = HEADINGS = ("History", "Running agents", "Set up")
MORE = "For scripts and rule authors"
"""Shown by `dejavu help commands` alone."""


class Entry(NamedTuple):
    """`module` is one of `cli/`, of the interfaces or of the extension that declares it.

    Its function `command` is the command.

    heading: a title of `HEADINGS`, a group of `GROUPS`, or `MORE`.
    passes_on: options after the first argument belong to the program that is run.
    """

    heading: str
    summary: str
    module: str
    passes_on: bool = False
