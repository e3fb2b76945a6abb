"""The key of the redactor's marks: equal secrets get equal marks within one archive, nowhere else.

32 bytes in the data folder, created once, mode 0600.
"""

import os
from contextlib import suppress
from pathlib import Path

from dejavu.model import ConfigError

from .files import naming
from .paths import data_home, private_folder

_LENGTH = 32


def redaction_key() -> bytes:
    """Return the key, created on first use.

    Raises:
        ConfigError: the file exists but holds something else.
        OSError: it cannot be written; `filename` is the key's.
    """
    path = private_folder(data_home()) / "redaction.key"
    with suppress(FileNotFoundError):
        return _stored(path)
    # Written whole under another name first: sessions that start at once all read the same.
    draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    with naming(path):
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.urandom(_LENGTH))
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink()
    return _stored(path)


def _stored(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) != _LENGTH:
        raise ConfigError(f"{path}: not a key of {_LENGTH} bytes; remove it and a new one is made")
    return key
