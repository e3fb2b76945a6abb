"""The config, data and state folders: owner, permissions, free space."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from dejavu.config.paths import config_home, data_home, state_home

from .finding import Finding, Severity

_MIN_FREE = 1 << 30
"""Bytes; less free space than this is a warning."""
_FULL = 16 << 20
"""Bytes; with less, the next write may fail."""


def folders() -> Iterator[Finding]:
    """Yield one finding a folder."""
    for name, folder in (("config", config_home()), ("data", data_home()), ("state", state_home())):
        facts = {"path": str(folder), "exists": os.path.lexists(folder)}
        if obstacle := _obstacle(folder):
            yield Finding(
                subject=name,
                severity=Severity.ERROR,
                message=f"{folder} cannot be {'used' if facts['exists'] else 'created'}: {obstacle}",
                fix="nothing is captured without it; use another folder (DEJAVU_*_HOME) or clear the way",
                facts=facts,
            )
            continue
        if not folder.exists():
            yield Finding(
                subject=name,
                severity=Severity.OK,
                message=f"{folder} (not created yet)",
                facts=facts,
            )
            continue
        info = folder.stat()
        free = shutil.disk_usage(folder).free
        facts |= {"mode": oct(info.st_mode & 0o777), "free_bytes": free}
        message = f"{folder}, {free // (1 << 20)} MiB free"
        if info.st_uid != os.geteuid():
            yield Finding(
                subject=name,
                severity=Severity.ERROR,
                message=f"{folder} belongs to another user",
                fix="use another folder (DEJAVU_*_HOME) or change its owner with chown",
                facts=facts,
            )
        elif info.st_mode & 0o077 and name != "config":
            yield Finding(
                subject=name, severity=Severity.ERROR, message=f"{folder} is readable by others", facts=facts,
                fix=f"chmod 700 {folder}",
            )  # fmt: skip
        elif name != "config" and not os.access(folder, os.W_OK):
            yield Finding(
                subject=name,
                severity=Severity.ERROR,
                message=f"{folder} cannot be written: {_why_unwritable(folder)}",
                fix="nothing is captured until it can; mount it writable or use another folder "
                "(DEJAVU_*_HOME)",
                facts=facts,
            )
        elif free < _FULL:
            yield Finding(
                subject=name, severity=Severity.ERROR, message=f"{message}: the disk is full",
                fix="free some disk space, or nothing more is captured", facts=facts,
            )  # fmt: skip
        elif free < _MIN_FREE:
            yield Finding(
                subject=name,
                severity=Severity.WARNING,
                message=message,
                fix="free some disk space",
                facts=facts,
            )
        else:
            yield Finding(subject=name, severity=Severity.OK, message=message, facts=facts)


def _obstacle(folder: Path) -> str:
    """What keeps a folder from being made, or from being one; "" if nothing does."""
    try:
        if folder.is_dir():
            return ""
        if os.path.lexists(folder):
            kind = (
                "leads nowhere" if folder.is_symlink() and not folder.exists() else "is no folder"
            )
            return f"{folder} {kind}"
        parent = next(parent for parent in folder.absolute().parents if os.path.lexists(parent))
        if not parent.is_dir():
            return f"{parent} is no folder"
        if not os.access(parent, os.W_OK | os.X_OK):
            return f"{parent} cannot be written: {_why_unwritable(parent)}"
    except OSError as error:
        return f"{error.strerror}: {error.filename}"
    return ""


def _why_unwritable(folder: Path) -> str:
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return "its file system is read-only"
    return f"its mode is {folder.stat().st_mode & 0o777:03o}"
