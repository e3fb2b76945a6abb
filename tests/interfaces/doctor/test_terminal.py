import os
import pty
import subprocess
import sys
import termios
import tty

_CODE = """
from dejavu.interfaces.doctor.installation import restore_terminal, terminal
print(*[finding.severity for finding in terminal()])
print(restore_terminal())
print(*[finding.severity for finding in terminal()])
"""


def test_a_raw_terminal_is_seen_and_mended() -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    done = subprocess.run(
        [sys.executable, "-c", _CODE], stdin=slave, capture_output=True, text=True, timeout=60
    )
    local = termios.tcgetattr(slave)[3]
    os.close(slave)
    os.close(master)
    assert done.stdout.split("\n")[0] == "warning"
    assert "ok" in done.stdout
    assert local & termios.ECHO
    assert local & termios.ICANON


def test_without_a_terminal_there_is_nothing_to_say() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.split() == ["False"]
