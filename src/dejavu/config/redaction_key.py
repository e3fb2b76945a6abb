"""The key of the redactor's marks: equal secrets get equal marks within one archive, nowhere else.

32 bytes in the data folder, created once, mode 0600.
"""

import os
import secrets

from dejavu.model import ConfigError

from .paths import data_home, private_folder

_LENGTH = 32


def redaction_key() -> bytes:
    """Return the key, created on first use.

    Raises:
        ConfigError: the file exists but holds something else.
    """
    path = private_folder(data_home()) / "redaction.key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_bytes()
        if len(key) != _LENGTH:
            raise ConfigError(
                f"{path}: not a key of {_LENGTH} bytes; remove it and a new one is made"
            ) from None
        return key
    key = secrets.token_bytes(_LENGTH)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
    return key
