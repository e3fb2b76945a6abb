"""What this process is called in lists of processes: multiplexers look there for an agent.

Linux keeps the words of a command line in the process's own memory, where they may be overwritten
in place, and a short name next to them. Elsewhere nothing is done. Standard library only.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = 15  # bytes of a process's short name
_ARG_START, _ARG_END = 45, 46  # places behind the name in /proc/PID/stat: proc_pid_stat(5)


def set_process_title(words: Sequence[str]) -> bool:
    """Show `words` as this process's command line, and the first as its name; whether it could.

    What does not fit into the room of the old command line is cut off.
    """
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 - pathlib is not worth its import
            fields = file.read().rpartition(b")")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
        room = end - start
        if start <= 0 or room < 2:
            return False
        text = b"\0".join(os.fsencode(word) for word in words)[: room - 1]
        memory = os.open("/proc/self/mem", os.O_RDWR | os.O_CLOEXEC)
        try:
            os.pwrite(memory, text.ljust(room, b"\0"), start)
        finally:
            os.close(memory)
        with open("/proc/self/comm", "wb", buffering=0) as file:  # noqa: PTH123 - as above
            file.write(os.fsencode(words[0])[:_NAME])
    except (OSError, IndexError, ValueError, OverflowError):
        return False
    return True
