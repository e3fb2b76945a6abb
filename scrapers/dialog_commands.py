"""Commands shown by dialogs, used to complete tool calls that a transcript cuts short.

Keeps the last `_MAX_COMMANDS` of one session. Cost: O(rows of the dialog) a screen.
"""

import re
from collections import deque
from collections.abc import Sequence

from .blocks import RowContent
from .packs import CompiledPack
from .pattern import Pattern
from .rows import Row, width
from .secret_rows import SecretRows
from .segment import Layout
from .unwrap import unwrap_block

_MAX_COMMANDS = 64
# The right border of the boxes a row is in.
_BORDERS = re.compile(r"(?: ?[│┃])+$")


class DialogCommands:
    """The commands for which the dialogs of one session asked permission."""

    def __init__(self, pack: CompiledPack, secrets: SecretRows) -> None:
        self._secrets = secrets
        self._rows: tuple[str, ...] = ()
        self._pattern = pack.dialog_command
        self._margin = pack.spec.margin
        self._commands: deque[str] = deque(maxlen=_MAX_COMMANDS)

    def observe(self, layout: Layout) -> None:
        """Remember the command of the dialog on a screen, if there is one."""
        if self._pattern is None:
            return
        for region in layout.regions:
            if region.name == "dialog":
                rows = tuple(layout.rows[region.top : region.bottom])
                if rows == self._rows:
                    continue
                self._rows = rows
                contents = self._secrets.masked(_command_rows(self._pattern, rows, region.right))
                command = self._secrets.labelled(
                    unwrap_block(contents, self._margin, markdown=False)
                )
                if command and command not in self._commands:
                    self._commands.append(command)

    def complete(self, text: str) -> str:
        """Return the text, or the last known command it begins if it ends in an ellipsis."""
        start = " ".join(text.removesuffix("…").split())
        if text.endswith("…") and start:
            for command in reversed(self._commands):
                if " ".join(command.split()).startswith(start):
                    return command
        return text


def _command_rows(pattern: Pattern, rows: Sequence[str], columns: int) -> list[RowContent]:
    """Return the rows of a dialog that spell out its command, without the box around them."""
    contents: list[RowContent] = []
    for text in rows:
        inside = _BORDERS.sub("", text)
        row = Row(text, False, width(inside) if len(inside) < len(text) else columns)
        if not contents:
            match = pattern.match(text)
            if match is not None:
                start = match.start("text")
                contents.append(RowContent(inside[start:].rstrip(), start, row))
            continue
        rest = inside.strip("┃│ ")
        if not rest or rest[0] in "╰└─╌━":
            break
        contents.append(RowContent(rest, contents[0].left, row))
    return contents
