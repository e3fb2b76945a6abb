"""What is still written after the agent's end, by what it left running: handed on as if we were not there.

Without us such a program holds the user's own terminal or pipe. With us it holds one of ours, so
a process has to keep reading that: a `cat` that ends with the last of them.

Tested in: tests/capsule/test_session.py
"""

from __future__ import annotations

import os
import termios
from contextlib import suppress

from .process import inheritable_fds


def hand_over(source: int, target: int) -> None:
    """Let a process that is not waited for copy `source` to `target` until either ends.

    `source` is the agent's terminal or stdout, `target` the user's. Never raises: without it the
    output is lost.
    """
    with suppress(OSError, NotImplementedError, termios.error):
        _translate_once(source, target)
        os.set_blocking(source, True)
        os.set_blocking(target, True)
        os.posix_spawnp(
            "cat",
            ["cat"],
            {"PATH": os.environ.get("PATH", os.defpath)},
            setsid=True,  # the keys of the user's terminal are not for it
            file_actions=[
                *(
                    (os.POSIX_SPAWN_CLOSE, fd)
                    for fd in inheritable_fds()
                    if fd not in (source, target)
                ),
                (os.POSIX_SPAWN_DUP2, source, 0),
                (os.POSIX_SPAWN_DUP2, target, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )


def _translate_once(source: int, target: int) -> None:
    """Line ends are the user's terminal's to translate, now that it is not raw any more."""
    if os.isatty(source) and os.isatty(target):
        modes = termios.tcgetattr(source)
        modes[1] &= ~termios.OPOST
        termios.tcsetattr(source, termios.TCSANOW, modes)
