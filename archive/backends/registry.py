"""Which stores there are, and how one is opened: a folder is LMDB, a URL is a server.

`open_store` refuses what cannot be opened before anything was touched; `bring_to_format` begins or migrates
it. The store behind a URL is an extension's, loaded for URLs alone.
"""

from pathlib import Path
from typing import NamedTuple

from dejavu.config.extensions import parts
from dejavu.model import ArchiveError, ConfigError, NotFoundError

from .. import log
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


def bring_to_format(opened: OpenedStore, *, readonly: bool) -> None:
    """Bring a fresh or older store to today's format; its marker comes last.

    Raises:
        NewerFormatError: a newer program wrote it.
        NotFoundError, ArchiveError: it is empty, or of an older format, and may not be written.
    """
    backend = opened.backend
    written = backend.inspect(log.written_format)
    if written == FORMAT == opened.marked:
        return
    log.refuse_part(backend.name, written)
    if written is not None:
        layout.refuse_newer(backend.name, written, FORMAT)
    if backend.readonly or (readonly and written != FORMAT):
        if written == FORMAT:
            return
        if written is None:
            raise NotFoundError(f"the archive in {backend.name} is still empty; try again")
        raise ArchiveError(
            f"the archive {backend.name} has the older format {written}; open it once for "
            "writing (any `dejavu sync`) to bring it up to date"
        )
    if written is None:
        backend.write(log.begin)
    else:
        from ..maintenance import migrations  # of use once in an archive's life

        migrations.migrate(backend)
    with backend.writer():
        if backend.marked(FORMAT) != FORMAT:
            backend.mark(FORMAT)
