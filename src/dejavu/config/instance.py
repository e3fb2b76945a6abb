"""The name of this machine or container in the archive.

It is `local` unless configured (`--instance`, `DEJAVU_INSTANCE`, `instance` in config.toml): a
host's name changes with its network, and every change would make each conversation look new. In a
shared archive (a server's) it is USER@HOST as of its first use, stored in the data folder.
"""

import os
import re

from .files import replace_file
from .paths import archive_location, data_home, is_server, private_folder
from .settings import Config

DEFAULT = "local"
_FILE = "instance"


def own_instance(config: Config) -> str:
    """Return the instance that conversations of this home belong to."""
    configured = os.environ.get("DEJAVU_INSTANCE") or config.instance
    return configured or (_origin() if _shared() else DEFAULT)


def instance_of(name: str, config: Config) -> str:
    """Return the instance of another home (a container's) called `name` here.

    In a shared archive our own is prefixed: others have containers of the same name.
    """
    return f"{own_instance(config)}/{name}" if _shared() else name


def _shared() -> bool:
    return is_server(archive_location())


def _origin() -> str:
    """Return USER@HOST as of the first call."""
    file = private_folder(data_home()) / _FILE
    try:
        name = file.read_text("utf-8").strip()
    except OSError:
        name = ""
    if not name:
        import getpass  # both load much, and this is done once
        import socket

        name = re.sub(r"[^\w.@-]+", "-", f"{getpass.getuser()}@{socket.gethostname()}")
        replace_file(file, name + "\n")
    return name
