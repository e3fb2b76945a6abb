"""Where a request goes: the way from our port to a model's server.

Maps the base URL an agent would have used to the one it shall use, and a request's path back to the
server's. The path begins with a secret of this run, compared in constant time, so that no one else
on this machine can use the port. Pure.
"""

import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from dejavu.model import ConfigError


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model's server."""

    host: str
    port: int
    tls: bool
    path: str
    """What its paths begin with, without a slash at the end."""

    @property
    def authority(self) -> str:
        """What `Host` holds."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"http{'s' if self.tls else ''}://{self.authority}"


def upstream(url: str) -> Upstream:
    """The server that `url` names.

    Raises:
        ConfigError: it is no http(s) URL of a server, or holds a user or a query.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise ConfigError(f"base URL {url!r}: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"base URL {url!r}: not http:// or https:// with a host's name")
    if parts.username or parts.query:
        raise ConfigError("the base URL holds a user or a query; take them out of it")
    tls = parts.scheme == "https"
    return Upstream(parts.hostname, port or (443 if tls else 80), tls, parts.path.rstrip("/"))


class Routes:
    """The ways of one run, by their numbers."""

    def __init__(self, upstreams: list[Upstream], secret: str) -> None:
        self._upstreams, self._secret = upstreams, secret

    def find(self, target: str) -> tuple[Upstream, str] | None:
        """The server and its path and query for a request's target; None without the secret."""
        bare, mark, query = target.partition("?")
        _, secret, number, *rest = bare.split("/", 3) if bare.count("/") > 1 else ("", "", "")
        if not secrets.compare_digest(secret.encode(), self._secret.encode()):
            return None
        if not (number.isascii() and number.isdigit() and int(number) < len(self._upstreams)):
            return None
        way = self._upstreams[int(number)]
        return way, (way.path + "".join(f"/{one}" for one in rest) or "/") + mark + query


def local_base(port: int, secret: str, number: int) -> str:
    """The base URL of the way with that number."""
    return f"http://127.0.0.1:{port}/{secret}/{number}"
