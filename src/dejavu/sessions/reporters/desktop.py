"""The desktop: a notification when a person should look, where the operator asked for it.

Tested in: tests/sessions/reporters/test_reporters.py
"""

import sys
from collections.abc import Mapping, Sequence

from .report import Report

NAME = "the desktop"
_SCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"


def update_command(_: Mapping[str, str], report: Report) -> Sequence[str] | None:
    """The command that notifies; None while no one needs to look."""
    if not report.needs_person:
        return None
    title, body = f"{report.name}: {report.state}", report.message or report.agent
    if sys.platform == "darwin":
        return ["osascript", "-e", _SCRIPT, "--", title, body]
    return ["notify-send", "--app-name=dejavu", "--", title, body]


def clear_command(_: Mapping[str, str], __: Report) -> None:
    """Nothing."""
