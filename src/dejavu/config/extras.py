"""How an optional part is installed here, in the words of whatever installed this program.

`SOURCE` is where the package comes from, in every message and document: a clone today. Once the package
is on the public index it becomes the package's name, and `make docs` rewrites the documents.
"""

import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "dejavu-capture"
SOURCE = "."


def install_command(extra: str) -> list[str]:
    """The command that adds an extra to this installation; empty where none can."""
    packages = _packages(extra)
    if not packages:
        return []
    if _is_pipx() and shutil.which("pipx"):
        return ["pipx", "inject", PACKAGE, *packages]
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", *packages]
    if shutil.which("uv"):
        return ["uv", "pip", "install", "--python", sys.executable, *packages]
    return []


def extra_hint(extra: str) -> str:
    """That command for a message, or how to install this program with the extra."""
    command = install_command(extra)
    if not command and _is_pipx() and (packages := _packages(extra)):
        command = [
            "pipx",
            "inject",
            PACKAGE,
            *packages,
        ]  # where pipx is not on the PATH of this shell
    if command:
        return shlex.join(command)
    place = " in a clone" if SOURCE == "." else ""
    return f"pip install '{SOURCE}[{extra}]'{place}"


def _is_pipx() -> bool:
    return "pipx" in Path(sys.prefix).parts


def _packages(extra: str) -> list[str]:
    """What an extra is made of; empty where this program was not installed as a package."""
    from importlib import metadata  # costs more than a command may

    try:
        lines = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []
    wanted = re.compile(rf"""(.+?)\s*;\s*extra == ["']{extra}["']""")
    return [match[1] for line in lines if (match := wanted.fullmatch(line))]
