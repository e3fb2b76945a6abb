"""What must be right on this machine: folders, settings, the redactor, the terminal.

Reads no archive and no session. `restore_terminal` alone changes anything: the terminal's modes.

Tested in: tests/interfaces/doctor/test_folders.py
"""

import os
import shutil
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.capsule.tty import FULL_RESET
from dejavu.config.paths import config_home, data_home, state_home
from dejavu.config.settings import load_config
from dejavu.model import ConfigError, RulePackError
from dejavu.redact import Redactor
from dejavu.scrapers import load_packs
from dejavu.sessions.reporters.marks import found
from dejavu.sessions.reporters.outside import way_out
from dejavu.sessions.reporters.terminal import is_asked
from dejavu.sessions.user_packs import overrides

from ..hooks.program import VARIABLE, parsed
from .finding import Finding, Severity

MIN_FREE = 1 << 30
"""Bytes; less free space than this is a warning."""
FULL = 16 << 20
"""Bytes; with less, the next write may fail."""


def folders() -> Iterator[Finding]:
    """Yield one finding a folder."""
    for name, folder in (("config", config_home()), ("data", data_home()), ("state", state_home())):
        yield _folder(name, folder)


def _folder(name: str, folder: Path) -> Finding:
    """Whether a folder can be used, and what is wrong with it first."""
    facts: dict[str, Any] = {"path": str(folder), "exists": os.path.lexists(folder)}

    def found(severity: Severity, message: str, fix: str = "") -> Finding:
        return Finding(subject=name, severity=severity, message=message, fix=fix, facts=facts)

    elsewhere = "use another folder (DEJAVU_*_HOME)"
    if obstacle := _obstacle(folder):
        what = f"{folder} cannot be {'used' if facts['exists'] else 'created'}: {obstacle}"
        fix = f"{elsewhere}, or move that away; nothing is captured until then"
        return found(Severity.ERROR, what, fix)
    if not folder.exists():
        return found(Severity.OK, f"{folder} (not created yet)")
    info = folder.stat()
    free = shutil.disk_usage(folder).free
    facts |= {"mode": oct(info.st_mode & 0o777), "free_bytes": free}
    if info.st_uid != os.geteuid():
        what = f"{folder} belongs to another user"
        return found(Severity.ERROR, what, f"{elsewhere} or change its owner with chown")
    if info.st_mode & 0o077 and name != "config":
        return found(Severity.ERROR, f"{folder} is readable by others", f"chmod 700 {folder}")
    if name != "config" and not os.access(folder, os.W_OK):
        what = f"{folder} cannot be written: {_why_unwritable(folder)}"
        fix = "mount it writable, or use another folder (DEJAVU_*_HOME); nothing is captured until then"
        return found(Severity.ERROR, what, fix)
    message = f"{folder}, {free // (1 << 20)} MiB free"
    if free < FULL:
        fix = "free some disk space, or nothing more is captured"
        return found(Severity.ERROR, f"{message}: the disk is full", fix)
    if free < MIN_FREE:
        return found(Severity.WARNING, message, "free some disk space")
    return found(Severity.OK, message)


def _obstacle(folder: Path) -> str:
    """What keeps a folder from being made, or from being one; "" if nothing does."""
    try:
        if folder.is_dir():
            return ""
        if os.path.lexists(folder):
            kind = (
                "leads nowhere" if folder.is_symlink() and not folder.exists() else "isn't a folder"
            )
            return f"{folder} {kind}"
        parent = next(parent for parent in folder.absolute().parents if os.path.lexists(parent))
        if not parent.is_dir():
            return f"{parent} isn't a folder"
        if not os.access(parent, os.W_OK | os.X_OK):
            return f"{parent} cannot be written: {_why_unwritable(parent)}"
    except OSError as error:
        return f"{error.strerror}: {error.filename}"
    return ""


def _why_unwritable(folder: Path) -> str:
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return "its file system is read-only"
    return f"its mode is {folder.stat().st_mode & 0o777:03o}"


def settings() -> Iterator[Finding]:
    """Yield whether config.toml is valid, and what it says about the screen."""
    try:
        config = load_config()
    except ConfigError as error:
        yield Finding(
            subject="settings",
            severity=Severity.ERROR,
            message=str(error),
            fix="correct the file, or move it away",
        )
        return
    screen = "is kept, redacted" if config.capture.screen else "is not kept"
    exceptions = (
        f"; {len(config.capture.workspaces)} exceptions" if config.capture.workspaces else ""
    )
    yield Finding(
        subject="settings",
        severity=Severity.OK,
        message=f"screen text of agents without files {screen} by default{exceptions}",
        facts={"screen": config.capture.screen, "workspaces": config.capture.workspaces},
    )


def hook_limit() -> Iterator[Finding]:
    """Yield whether DEJAVU_HOOK_LIMIT, where it is set, is a number of seconds."""
    text = os.environ.get(VARIABLE, "")
    if text and parsed(text) is None:
        yield Finding(
            subject="hook limit",
            severity=Severity.ERROR,
            message=f"{VARIABLE}={text!r} is not a number of seconds; hooks use their default",
            fix=f"unset {VARIABLE}, or set it to a number such as 1.5",
        )


def packs() -> Iterator[Finding]:
    """Yield whether the user's own packs are valid."""
    own = overrides()
    try:
        load_packs(own)
    except RulePackError as error:
        yield Finding(
            subject="rule packs",
            severity=Severity.ERROR,
            message=str(error),
            fix="fix the pack or move it away",
        )
        return
    yield Finding(
        subject="rule packs", severity=Severity.OK, message=f"built-in, and {len(own)} of your own"
    )


def redaction() -> Iterator[Finding]:
    """Yield whether a token that looks like a real one is redacted."""
    made_up = "gh" + "p_" + "R4nd0mL00k1ngT0kenThatIsN0tReal12345"[:36]
    clean = Redactor(b"doctor").redact(f"token {made_up} end")
    if made_up in clean:
        yield Finding(
            subject="redaction", severity=Severity.ERROR, message="a test token was not redacted"
        )
    else:
        yield Finding(subject="redaction", severity=Severity.OK, message="a test token is redacted")


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
            message="is in raw mode; a wrapper may have been killed here",
            fix="`dejavu doctor --fix-tty` (or `stty sane`)",
        )


def hosts() -> Iterator[Finding]:
    """Yield each host around this process, and how it learns what agents do."""
    for mark in found(os.environ):
        facts = {"host": mark.host, "told": mark.told}
        message = f"{mark.host} runs around this shell and gets states by {mark.told}"
        if mark.told.startswith("nothing"):
            message = f"{mark.host} runs around this shell and gets {mark.told}"
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
        message = (
            f"sent to {way.terminal or 'the terminal outside'} through {through}, without asking it"
        )
    elif is_asked(os.environ, setting):
        message = "sent if this terminal says that it can show it"
    else:
        message = "not sent to this terminal"
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
    sys.stdout.write(FULL_RESET.decode() + "\x1b[<u")  # the main screen keeps its own keys
    sys.stdout.flush()
    return True
