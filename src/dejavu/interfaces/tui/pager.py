"""A whole conversation in the reader's own pager: `$PAGER`, else `less`.

The text is sanitised and written to its stdin. Blocks until the pager ends.
"""

import os
import shlex
import subprocess

from dejavu.export.text import as_text
from dejavu.model import Conversation


def page(conversation: Conversation) -> None:
    """Show all of it, nothing folded.

    Raises:
        OSError: the pager cannot be started.
        ValueError: `PAGER` is no command line.
    """
    command = shlex.split(os.environ.get("PAGER") or "less -R")
    text = "\n".join(as_text(conversation, paint=lambda line, _code: line, full=True))
    # A reader who leaves early closes the pipe: `communicate` takes that for an end.
    with subprocess.Popen(command, stdin=subprocess.PIPE) as pager:
        pager.communicate(text.encode() + b"\n")
