"""The daemon as a program: `python -m dejavu.services.daemon [--lock FD] [--idle SECONDS]`.

`--lock` is a descriptor whose file is already locked, by the hook that starts it.
"""

import sys

from .instance_lock import run

if __name__ == "__main__":
    words = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=False))
    lock = int(words["--lock"]) if "--lock" in words else None
    sys.exit(0 if run(lock=lock, idle=float(words.get("--idle", "600"))) else 1)
