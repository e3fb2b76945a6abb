"""The program that agents call: a few lines of shell at a place that never changes.

The commands in agents' files name this launcher and so stay the same from version to version (some
agents trust a hook by its hash); the launcher knows which Python has Déjà Vu, and is rewritten by
`dejavu init --upgrade`. If that Python is gone it does nothing, and a hook that is left over somewhere does
no harm. Hooks run without site packages, which take as long to set up as a hook takes to run; one
that needs them sets them up.
"""

import os
import re
import shlex
import sys
from enum import StrEnum
from pathlib import Path

from dejavu.config.files import naming, replace_file
from dejavu.config.own_program import own_program
from dejavu.config.paths import data_home, private_folder


class Guard(StrEnum):
    """Whether tools' results are checked, and what becomes of one that cannot be."""

    OFF = "off"
    OPEN = "open"
    """It passes to the model as it is."""
    CLOSED = "closed"
    """It is withheld, and the model gets a notice."""


_OURS = re.compile(r"(?:^|[/\\\s'\"])dejavu['\"]? hook (?:capture|inject|guard|assist)\b")
_PINNED = ("DEJAVU_CONFIG_HOME", "DEJAVU_DATA_HOME", "DEJAVU_STATE_HOME", "DEJAVU_ARCHIVE")


def launcher() -> Path:
    """Where the launcher is."""
    return data_home() / "bin" / "dejavu"


def hook_command(verb: str, agent: str) -> str:
    """The line an agent is to run, for a shell."""
    return f"{shlex.quote(str(launcher()))} hook {verb} --agent {agent}"


def guard_words(agent: str, guard: Guard) -> str:
    """What follows the launcher where it is to check a tool's result; empty without a guard."""
    if guard is Guard.OFF:
        return ""
    return f"hook guard --agent {agent}" + (" --fail-open" if guard is Guard.OPEN else "")


def guard_in(text: str, agent: str) -> Guard:
    """The guard that a file of an agent calls."""
    found = re.search(rf"\bhook guard --agent {re.escape(agent)}( --fail-open)?", text)
    if found is None:
        return Guard.OFF
    return Guard.OPEN if found[1] else Guard.CLOSED


def is_ours(command: str) -> bool:
    """Whether a hook's command is one of ours, wherever its launcher was."""
    return _OURS.search(command) is not None


def text() -> str:
    """What the launcher is for this installation."""
    import dejavu

    root = Path(dejavu.__file__).absolute().parent.parent
    python = shlex.quote(sys.executable)
    lines = [
        "#!/bin/sh",
        "# Déjà Vu's launcher: made by `dejavu init`, removed by `dejavu uninstall`",
    ]
    lines.append(f"[ -x {python} ] && [ -d {shlex.quote(str(root / 'dejavu'))} ] || exit 0")
    lines += [
        f': "${{{name}:={_inside(value)}}}"; export {name}'
        for name in _PINNED
        if (value := os.environ.get(name))
    ]
    for verb in ("capture", "inject", "guard", "assist"):
        program = f"import sys; sys.path.insert(0, {str(root)!r}); "
        program += f"from dejavu.interfaces.hooks.{verb} import main; main(sys.argv[1:])"
        lines.append(f'if [ "$1 $2" = "hook {verb}" ]; then')
        lines.append(f'  shift 2; exec {python} -IS -c {shlex.quote(program)} "$@"')
        lines.append("fi")
    lines.append(f'exec {shlex.join(own_program("dejavu.interfaces.cli"))} "$@"')
    return "\n".join(lines) + "\n"


def _inside(value: str) -> str:
    """`value` within double quotes of a shell."""
    return re.sub(r'([\\"$`}])', r"\\\1", value)


def write() -> bool:
    """Make the launcher what it should be; whether anything changed."""
    path, wanted = launcher(), text()
    if path.exists() and path.read_text("utf-8") == wanted:
        return False
    with naming(path):
        private_folder(path.parent)
        replace_file(path, wanted, mode=0o700)
    return True
