"""Long text in the reader's own pager: `$PAGER`, else `less`. What is given is already sanitised.

As git has it: `LESS=FRX` unless it is set, so that what fits on one screen is printed and the pager
ends.
"""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import nullcontext, suppress


def page(lines: Iterable[str], options: str = "FRX") -> None:
    """Show all lines; block until the pager ends. A reader may leave before the last line.

    `options` are those of less, where the reader set none. Call it from the main thread.

    Raises:
        OSError: the pager cannot be started.
        ValueError: `PAGER` is no command line.
    """
    command = shlex.split(os.environ.get("PAGER") or "less")
    # ^C is for the pager, which ends a search and continues. A handler, for what is ignored here
    # would be ignored by the pager, too.
    interrupt = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        with (
            subprocess.Popen(
                command, stdin=subprocess.PIPE, env={"LESS": options, **os.environ}
            ) as pager,
            suppress(BrokenPipeError),  # left early
            pager.stdin or nullcontext(sys.stdout.buffer) as stream,
        ):
            for line in lines:
                stream.write(line.encode("utf-8", "replace") + b"\n")
    finally:
        signal.signal(signal.SIGINT, interrupt)
