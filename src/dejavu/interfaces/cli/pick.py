"""`dejavu pick`: choose a conversation or a past prompt; what the shell key runs.

The picker is drawn on stderr; stdout has the choice alone. Exit codes: 0 chosen, 130 left.

Tested in: tests/interfaces/command_line/test_shell_keys.py
"""

from __future__ import annotations

import os
import sys

from dejavu.ingest.catch_up import open_current
from dejavu.model import InvalidValueError

from ..command_line.output import print_note
from ..command_line.stdio import ExitError


def command() -> None:
    """Choose a conversation or a past prompt.

    Enter prints the command that resumes the conversation, Tab prints its prompt. `dejavu shell-init --keys`
    binds a key to it.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidValueError("no terminal to choose on")
    try:
        from ..tui.prompt_picker import PromptPicker
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        from dejavu.config.extras import extra_hint

        raise InvalidValueError(f"the picker needs Textual: {extra_hint('tui')}") from None
    # The terminal's size is asked of stdout, which the shell reads.
    columns, lines = os.get_terminal_size(sys.stderr.fileno())
    os.environ |= {"COLUMNS": str(columns), "LINES": str(lines)}
    with open_current(print_note) as (archive, _):
        chosen = PromptPicker(archive).run(inline=True)
    if chosen is None:
        raise ExitError(130)
    print(chosen)
