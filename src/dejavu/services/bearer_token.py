"""The bearer token of a listener on loopback: a file of this user's alone, and the header that says it.

`dejavu serve --port` and `dejavu otlp` have one each. A token is in its file and in headers, never in an
argument list or a log.

Tested in: tests/extensions/web/test_server.py
"""

import os
import secrets
import stat
from collections.abc import Sequence
from pathlib import Path

from dejavu.config.paths import private_folder
from dejavu.model import ConfigError

_BYTES = 32


def bearer_token(path: Path) -> str:
    """The token in `path`, made on first use, readable by its owner alone.

    Raises:
        ConfigError: others may read it, or it is empty.
    """
    private_folder(path.parent)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
            facts = os.fstat(file.fileno())
            if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & 0o077:
                raise ConfigError(
                    f"{path}: others may read it; remove it and a new one is made"
                ) from None
            token = file.read().strip()
        if len(token) < 16:
            raise ConfigError(f"{path}: no token in it; remove it and a new one is made") from None
        return token
    token = secrets.token_urlsafe(_BYTES)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token


def given_token(authorization: Sequence[str]) -> str:
    """The token that a request's `Authorization` headers say; "" without exactly one of Bearer."""
    scheme, _, token = (authorization[0] if len(authorization) == 1 else "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
