"""The name of this machine or container in the archive.

Takes the settings and the environment; gives a name. It is `local` unless somebody said otherwise
(`--instance`, `DEJAVU_INSTANCE`, `instance` in config.toml): a host's name changes with its
network, and every change would make each conversation look new.
"""

import os

from .config import Config

DEFAULT = "local"


def own_instance(config: Config) -> str:
    """The instance that conversations of this home belong to."""
    return os.environ.get("DEJAVU_INSTANCE") or config.instance or DEFAULT
