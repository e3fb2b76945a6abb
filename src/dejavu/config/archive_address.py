"""The address of a server's archive: its printable form, and the local folder derived from it.

The local folder holds what this machine derives from that archive (indexes, locks; nothing in it is
worth a backup). No network, creates nothing.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from dejavu.model.late_pattern import late_pattern

from .paths import archive_location, data_home, is_server

# Up to the last @: a password that was not escaped may hold any of the other delimiters.
_PASSWORD = late_pattern(r"^(\w+://[^:/?@]*):.*@", re.DOTALL)
_PASSWORD_PARAMETER = late_pattern(r"(?i)([?&](?:ssl)?password=)[^&]*")


def without_password(location: str) -> str:
    """Return a path unchanged, a URL without its password."""
    if not is_server(location):
        return location
    return _PASSWORD_PARAMETER.sub(r"\1***", _PASSWORD.sub(r"\1@", location))


def archive_shown() -> str:
    """Return the location of the user's archive in printable form: a URL without its password."""
    return without_password(archive_location())


def without_secrets(text: str, passwords: Iterable[str]) -> str:
    """Return a message without these passwords where an address or an option holds one.

    Elsewhere the same letters are a name or a word: `postgres` as a password must not hide the user.
    """
    for password in passwords:
        for written in sorted({password, quote(password, safe="")}, key=len, reverse=True):
            text = re.sub(
                rf"((?:://[^:/?@\s]*:|(?i:password)\s*[=:]\s*[\"']?)){re.escape(written)}"
                r"(?=[@&\"'\s]|$)",
                r"\1***",
                text,
            )
    return text


def local_folder(url: str) -> Path:
    """Return this user's folder for what is derived from the archive at `url`.

    The password does not matter: another one leads to the same folder.
    """
    url = without_password(url)
    name = blake2b(url.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return data_home() / "teams" / name
