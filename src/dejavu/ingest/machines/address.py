"""Addresses of other machines: `ssh://[USER@]HOST[:PORT][/HOME]`, `docker://CONTAINER[/HOME]`.

No part of an address may begin with a dash or hold what a program would read as an option.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from dejavu.model import InvalidValueError

KINDS = ("ssh", "docker", "podman")
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_HOST = re.compile(rf"(?:{_NAME}|\[[0-9A-Fa-f:.%]+\])")
_FORMS = "ssh://[USER@]HOST[:PORT][/HOME], docker://CONTAINER[/HOME] or podman://CONTAINER[/HOME]"


class Address(NamedTuple):
    """Where a home is. `home` is absolute there; None is the login folder."""

    kind: str
    host: str
    user: str | None = None
    port: int | None = None
    home: str | None = None

    @property
    def name(self) -> str:
        """The instance under which its conversations are archived, unless one is named."""
        return self.host.strip("[]")

    def __str__(self) -> str:
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{self.kind}://{user}{self.host}{port}{self.home or ''}"


def parse_address(text: str) -> Address:
    """Return the address that `text` is.

    Raises:
        InvalidValueError: it is none.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InvalidValueError(f"{text!r} is not an address of a machine: {error}") from None
    user, _, host = parts.netloc.rpartition("@")
    host = host if port is None else host.removesuffix(f":{port}")
    home = unquote(parts.path).rstrip("/") or None
    fits = (
        parts.scheme in KINDS
        and _HOST.fullmatch(host)
        and (not user or re.fullmatch(_NAME, user))
        and not (parts.query or parts.fragment)
        and (parts.scheme == "ssh" or not (user or port))
        and not (home and {"..", "."} & set(home.split("/")))
        and not re.search(r"[\0-\x1f]", home or "")
    )
    if not fits:
        raise InvalidValueError(f"{text!r} is not an address of a machine; write {_FORMS}")
    return Address(parts.scheme, host, user or None, port, home)
