"""The terminal of this process: which hosts are around, and whether a killed wrapper left it raw."""

import os
import sys
import termios
from collections.abc import Iterator

from dejavu.config.settings import load_config
from dejavu.model import ConfigError
from dejavu.sessions.reporters.marks import found
from dejavu.sessions.reporters.outside import way_out
from dejavu.sessions.reporters.terminal import is_asked

from .finding import Finding, Severity


def terminal() -> Iterator[Finding]:
    """Yield whether the terminal echoes and reads lines; nothing without a terminal."""
    if not sys.stdin.isatty():
        return
    local = termios.tcgetattr(sys.stdin)[3]
    if local & termios.ECHO and local & termios.ICANON:
        yield Finding(subject="terminal", severity=Severity.OK, message="reads lines and echoes")
    else:
        yield Finding(
            subject="terminal",
            severity=Severity.WARNING,
            message="is raw: a wrapper may have been killed here",
            fix="`dejavu doctor --fix-tty` (or `stty sane`)",
        )


def hosts() -> Iterator[Finding]:
    """Yield each host around this process, and how it learns what agents do."""
    for mark in found(os.environ):
        facts = {"host": mark.host, "told": mark.told}
        message = f"{mark.host} is around; it is told by {mark.told}"
        if mark.told.startswith("nothing"):
            message = f"{mark.host} is around; it is told {mark.told}"
        yield Finding(subject="host", severity=Severity.OK, message=message, facts=facts)


def program_status() -> Iterator[Finding]:
    """Yield whether the terminal around this process gets program status, and by which way."""
    try:
        setting = load_config().report.terminal
    except ConfigError:
        return  # `settings` says so
    way, fix = way_out(os.environ, setting), ""
    if way is not None:
        through = " through ".join(reversed(way.layers))
        message = f"{way.terminal or 'the terminal outside'} gets it through {through}, unasked"
    elif is_asked(os.environ, setting):
        message = "this terminal is asked whether it shows it"
    else:
        message = "this terminal does not get it"
        if os.environ.get("TMUX") and setting != "never":
            fix = "`set -g allow-passthrough on` in tmux.conf, in a terminal that shows it"
    facts = {"told": way is not None or is_asked(os.environ, setting)}
    yield Finding(
        subject="program status", severity=Severity.OK, message=message, fix=fix, facts=facts
    )


def restore_terminal() -> bool:
    """Restore the usual modes and the main screen of stdin's terminal; False without a terminal."""
    if not sys.stdin.isatty():
        return False
    mode = termios.tcgetattr(sys.stdin)
    mode[0] |= termios.BRKINT | termios.ICRNL | termios.IXON
    mode[1] |= termios.OPOST | termios.ONLCR
    mode[3] |= (
        termios.ECHO
        | termios.ECHOE
        | termios.ECHOK
        | termios.ICANON
        | termios.ISIG
        | termios.IEXTEN
    )
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, mode)
    # Main screen, visible cursor, no mouse or paste reporting, default keypad and keyboard.
    sys.stdout.write(
        "\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b>\x1b[0m"
    )
    sys.stdout.flush()
    return True
