"""The redactor that goes with this user's archive: its key, and what the environment says is secret.

What leaves the archive goes through it. With the key of its marks equal secrets get equal marks within
one archive, and nowhere else: 32 bytes in the data folder, created once, mode 0600. Loads the rule
tables (about 30 ms), so callers make it when there is something to redact.
"""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from dejavu.config.files import naming
from dejavu.config.paths import data_home, private_folder
from dejavu.model import ConfigError
from dejavu.model.blake2 import blake2b
from dejavu.redact import RULES, Redactor, secret_values
from dejavu.redact.conversation import CountingRedactor
from dejavu.redact.engine import PUNCTUATION

_KEY_LENGTH = 32


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
                file.write(os.urandom(_KEY_LENGTH))
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink()
    return _stored(path)


def _stored(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) != _KEY_LENGTH:
        raise ConfigError(
            f"{path}: not a key of {_KEY_LENGTH} bytes; remove it and a new one is made"
        )
    return key


def archive_redactor() -> Redactor:
    """Return the redactor.

    Raises:
        ConfigError: the key's file holds something else.
    """
    return Redactor(redaction_key(), secret_values(os.environ))


def counting_redactor() -> CountingRedactor:
    """Return the redactor with a count of what it replaces; raises as `archive_redactor`."""
    return CountingRedactor(archive_redactor().redact)


@cache
def rules_digest() -> str:
    """Return what tells these rules from others: what was made or read with others is redone."""
    state = blake2b(PUNCTUATION.encode(), digest_size=6)
    for rule in RULES:
        # Some patterns are made of sets, whose order is another one in each process.
        letters = "".join(sorted(rule.pattern.pattern))
        state.update(repr((rule.name, sorted(rule.anchors), letters)).encode())
    return state.hexdigest()
