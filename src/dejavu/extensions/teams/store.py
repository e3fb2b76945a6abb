"""The store behind a URL: PostgreSQL, where its driver is installed.

Tested in: tests/extensions/teams/test_postgres_backend.py
"""

from dejavu.archive.backends.backend import Backend
from dejavu.config.extras import extra_hint
from dejavu.model import ConfigError


def open_server(url: str, *, create: bool) -> Backend:
    """The store behind a URL, made if it is not there and `create` is true.

    Raises:
        NotFoundError: not there, and `create` is false.
        ConfigError: it cannot be read, or the driver is not installed.
        ArchiveError: out of reach, or refused.
    """
    try:
        from .postgres_backend import open_server as open_postgres
    except ImportError as missing:
        raise ConfigError(
            f"DEJAVU_ARCHIVE: a postgresql:// archive needs the extra teams: {extra_hint('teams')}; "
            f"or name a folder ({missing})"
        ) from missing
    return open_postgres(url, create=create)
