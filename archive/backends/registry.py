"""Which stores there are, and how one is opened: a folder is LMDB, a URL is a server.

`open_store` refuses what cannot be opened before anything was touched. The store behind a URL is an
extension's, loaded for URLs alone.
"""

from pathlib import Path
from typing import NamedTuple

from dejavu.config.extensions import parts
from dejavu.model import ConfigError, NotFoundError

from ..records import FORMAT
from . import layout
from .backend import Backend
from .lmdb_backend import open_backend

SERVERS = ("postgresql", "postgres")
"""Schemes of URLs that name a server."""


class OpenedStore(NamedTuple):
    """An open store, sentences on what had to be repaired, the format noted next to it."""

    backend: Backend
    notes: tuple[str, ...]
    marked: int | None


def is_url(path_or_url: str | Path) -> bool:
    """True for what names a server.

    Raises:
        ConfigError: a URL of a kind that names no store.
    """
    scheme, separator, _ = str(path_or_url).partition("://")
    if separator and scheme not in SERVERS:
        raise ConfigError(
            f"DEJAVU_ARCHIVE: no archive can stand behind {scheme}://; "
            "name a folder, or postgresql://USER@HOST/DATABASE"
        )
    return bool(separator)


def open_store(path_or_url: str | Path, *, create: bool, readonly: bool) -> OpenedStore:
    """The store at `path_or_url`, made if it is not there and `create` is true.

    Raises:
        NotFoundError: not there, and `create` is false.
        ConfigError: a URL that cannot be used, or a folder with other things in it.
        NewerFormatError, CorruptArchiveError, ArchiveLockedError: as their names say; nothing was touched.
        ArchiveError: out of reach, a link, someone else's, or on a network file system.
    """
    if is_url(path_or_url):
        return OpenedStore(open_url(str(path_or_url), create=create), (), FORMAT)
    return _open_folder(Path(path_or_url).expanduser().absolute(), create, readonly)


def open_url(url: str, *, create: bool) -> Backend:
    """The store behind a URL, made if it is not there and `create` is true.

    Raises:
        NotFoundError: not there, and `create` is false.
        ConfigError: it cannot be read, or the driver is not installed.
        ArchiveError: out of reach, or refused.
    """
    for part in parts("store"):
        store: Backend = part.open_server(url, create=create)
        return store
    raise ConfigError("DEJAVU_ARCHIVE: this installation has no extension for archives on a server")


def _open_folder(root: Path, create: bool, readonly: bool) -> OpenedStore:
    notes = layout.make_private(root, create=create)
    marked = layout.read_marker(root, FORMAT)
    layout.check_data(root, marked=marked is not None)
    if not create and marked is None and not (root / layout.DATA).exists():
        raise NotFoundError(f"there is no archive in {root}; `dejavu sync` makes one")
    fixed = readonly and not layout.writable(root)
    return OpenedStore(open_backend(root, readonly=fixed), notes, marked)
