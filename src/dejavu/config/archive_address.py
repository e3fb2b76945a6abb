"""The address of a server's archive: how it may be shown, and what lies on this machine for it.

Takes a URL; gives it without its password, and the folder of what this machine derives from that
archive (indexes, locks; nothing in it is worth a backup), made private. Asks no network.
"""

import os
import re
from hashlib import blake2b
from pathlib import Path

# Up to the last @: a password that was not escaped may hold any of the other delimiters.
_SECRET = re.compile(r"^(\w+://[^:/?@]*):.*@", re.DOTALL)
_SECRET_PARAMETER = re.compile(r"(?i)([?&](?:ssl)?password=)[^&]*")


def shown(location: str) -> str:
    """A path as it is, a URL without its password."""
    if "://" not in location:
        return location
    return _SECRET_PARAMETER.sub(r"\1***", _SECRET.sub(r"\1@", location))


def local_folder(url: str) -> Path:
    """The folder of this user for what is derived from the archive behind `url`.

    Below `DEJAVU_DATA_HOME`, or XDG's folder. Another password leads to the same one.
    """
    own = os.environ.get("DEJAVU_DATA_HOME")
    base = Path(os.environ.get("XDG_DATA_HOME") or "")
    root = base if base.is_absolute() else Path.home() / ".local/share"
    name = blake2b(shown(url).encode("utf-8", "replace"), digest_size=8).hexdigest()
    return (Path(own).expanduser().absolute() if own else root / "dejavu") / "teams" / name


def make_private(folder: Path) -> None:
    """Make `folder` where it is missing, and its parents too, for their owner alone (0700)."""
    for path in reversed([folder, *folder.parents]):
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)
