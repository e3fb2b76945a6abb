"""Whether a store that looks cut short can be read: asked of a child process.

Takes a folder; gives True or False. LMDB may count pages at the end of its file that it never
had to write (taken and given back in one transaction), so a short file is not always damage; but
reading a page that is missing kills the reader (SIGBUS). So a child reads every page, and dies in
our place if it must. Costs one read of the store, in the rare case that its file is short.
"""

import subprocess
import sys
from pathlib import Path

_PATIENCE = 600.0  # seconds; a disk reads some 60 GB in that time
_CHILD = """
import os, resource, sys, lmdb
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
env = lmdb.Environment(sys.argv[1], readonly=True, lock=False, create=False, lib_version=0)
with open(os.devnull, "wb") as sink:
    env.copyfd(sink.fileno(), compact=True)
"""


def readable(root: Path) -> bool:
    """True if every page in use of the store in `root` is there."""
    child = subprocess.run(
        [sys.executable, "-I", "-c", _CHILD, str(root)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_PATIENCE,
        check=False,
    )
    return child.returncode == 0
