"""The name of this machine or container in the archive.

Takes the settings and the environment; gives a name. It is `local` unless somebody said otherwise
(`--instance`, `DEJAVU_INSTANCE`, `instance` in config.toml): a host's name changes with its
network, and every change would make each conversation look new. In an archive that is shared
(a server's) it is USER@HOST, as it was when it was first asked for: kept in the data folder.
"""

import getpass
import os
import re
import socket

from .paths import archive_location, data_home, private_folder
from .settings import Config

DEFAULT = "local"
_FILE = "instance"
_ODD = re.compile(r"[^\w.@-]+")


def own_instance(config: Config) -> str:
    """The instance that conversations of this home belong to."""
    told = os.environ.get("DEJAVU_INSTANCE") or config.instance
    return told or (_origin() if _shared() else DEFAULT)


def instance_of(name: str, config: Config) -> str:
    """The instance of another home (a container's) that is called `name` here.

    In a shared archive it begins with ours: others have containers of the same name.
    """
    return f"{own_instance(config)}/{name}" if _shared() else name


def _shared() -> bool:
    return "://" in archive_location()


def _origin() -> str:
    """USER@HOST, as it was the first time."""
    file = private_folder(data_home()) / _FILE
    try:
        known = file.read_text("utf-8").strip()
    except OSError:
        known = ""
    if known:
        return known
    name = _ODD.sub("-", f"{getpass.getuser()}@{socket.gethostname()}")
    fresh = file.with_name(f"{_FILE}.{os.getpid()}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as told:
        told.write(name + "\n")
    fresh.replace(file)
    return name
