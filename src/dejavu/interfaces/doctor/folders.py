"""Our three folders: where they are, whose they are, who may look in, how much room is left."""

import os
import shutil
from collections.abc import Iterator

from dejavu.config.paths import config_home, data_home, state_home

from .finding import Finding, Grade

_ROOM = 1 << 30
"""Bytes: less free than this is worth a word."""


def folders() -> Iterator[Finding]:
    """One finding a folder."""
    for name, folder in (("config", config_home()), ("data", data_home()), ("state", state_home())):
        facts = {"path": str(folder), "exists": folder.exists()}
        if not folder.exists():
            yield Finding(
                subject=name, grade=Grade.GOOD, told=f"{folder} (not made yet)", facts=facts
            )
            continue
        info = folder.stat()
        free = shutil.disk_usage(folder).free
        facts |= {"mode": oct(info.st_mode & 0o777), "free_bytes": free}
        told = f"{folder}, {free // (1 << 20)} MiB free"
        if info.st_uid != os.geteuid():
            yield Finding(
                subject=name,
                grade=Grade.BAD,
                told=f"{folder} belongs to another user",
                cure="name another folder (DEJAVU_*_HOME) or take it over with chown",
                facts=facts,
            )
        elif info.st_mode & 0o077 and name != "config":
            yield Finding(
                subject=name, grade=Grade.BAD, told=f"{folder} can be read by others", facts=facts,
                cure=f"chmod 700 {folder}",
            )  # fmt: skip
        elif free < _ROOM:
            yield Finding(subject=name, grade=Grade.NOTE, told=told, cure="make room", facts=facts)
        else:
            yield Finding(subject=name, grade=Grade.GOOD, told=told, facts=facts)
