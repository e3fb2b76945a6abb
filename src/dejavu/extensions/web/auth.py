"""The rules that every request passes before anything is read for it.

Refused are
- a `Host` that is not this machine (and, over TCP, this port): DNS rebinding;
- an `Origin` that is not our own, and requests a browser sends on behalf of another site, except for
  the page of the door over TCP, which holds nothing and is reached from the file of `serve --open`;
- over TCP, a missing or wrong bearer token, compared in constant time;
- of a browser that came through the door below, anything but a read that does not say our own
  `Origin` and carry JSON: what no form and no other site can send.
There are no CORS headers at all. No answer may be cached, framed or sniffed.

A page load can carry no token, so `POST /login` exchanges it (or the code that `serve --open` hands
to the browser in a file, once and for a minute) for a cookie. Browsers send a cookie of 127.0.0.1 to every port
of it, another user's included: so it is valid only below a path of 128 random bits, which no other
server knows and a browser therefore never asks of it. Both end with the server.
"""

import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import quote, urlencode

from dejavu.services.bearer_token import given_token

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
_Headers = dict[str, list[str]]

OPEN = frozenset({"/"})
"""Paths that need no token, with those below `ASSETS`: they hold nothing of anybody."""
ASSETS = "/assets/"
LOGIN = "/login"
BASE = "dejavu.base"
"""The key of the scope under which the application finds the path that the browser's links need."""
CODE_SECONDS = 60.0
_COOKIE = "dejavu"
_PREFIX = re.compile("^/p/[^/]+/")

_NAMES = ("localhost", "127.0.0.1", "[::1]")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", _POLICY.encode()),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class Guard:
    """`app` behind the rules. `port`: the TCP port, None on a Unix socket; `token`: None is open.

    A Unix socket takes any port in `Host`, since `ssh -L` may bring it somewhere as any.
    """

    def __init__(
        self, app: App, *, port: int | None = None, token: str | None = None, token_file: str = ""
    ) -> None:
        self._app, self._port, self._token = app, port, token
        self._token_file = token_file
        self.prefix = f"/p/{secrets.token_urlsafe(16)}"
        self._cookie = secrets.token_urlsafe(32)
        self._code, self._code_ends = "", 0.0
        self.on_code: Callable[[], object] = lambda: None
        """Called when the code has been used."""

    def one_time_code(self) -> str:
        """A new code that `/login` takes once, within `CODE_SECONDS`, in place of the token."""
        self._code, self._code_ends = secrets.token_urlsafe(24), time.monotonic() + CODE_SECONDS
        return self._code

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            return

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [pair for pair in message["headers"] if pair[0] != b"cache-control"]
                message = {**message, "headers": [*headers, *HEADERS]}
            await send(message)

        named = _named(scope["headers"])
        path, by_page = str(scope["path"]), False
        if self._token is not None and path.startswith(self.prefix + "/"):
            path, by_page = path.removeprefix(self.prefix), True
            base = {BASE: self.prefix}
            scope = {**scope, "path": path, "raw_path": path.encode(), **base}
        method = str(scope.get("method", "GET"))
        refusal = self._refusal(method, path, named, by_page=by_page)
        wants_page = method == "GET" and "text/html" in ",".join(named.get("accept", ()))
        if refusal is not None and refusal[0] == 401 and wants_page:
            # A user comes back to a page of a server that has ended: the door is at the root.
            await _answer(send_marked, 303, {}, (b"location", _door_to(path, scope, by_page)))
        elif refusal is not None:
            await _refuse(send_marked, *refusal)
        elif self._token is not None and path == LOGIN and method == "POST":
            cookie = f"{_COOKIE}={self._cookie}; Path={self.prefix}/; HttpOnly; SameSite=Strict"
            base = {"base": self.prefix + "/"}
            await _answer(send_marked, 200, base, (b"set-cookie", cookie.encode()))
        else:
            await self._app(scope, receive, send_marked)

    def _refusal(
        self, method: str, path: str, named: _Headers, *, by_page: bool
    ) -> tuple[int, str] | None:
        """Status and sentence, or None where the request may pass."""
        host = named.get("host", [])
        if len(host) != 1 or not self._is_ours(host[0]):
            return 403, "this address is not ours; ask 127.0.0.1 or localhost"
        own = f"http://{host[0].lower()}"
        origins = [origin.lower() for origin in named.get("origin", [])]
        if any(origin != own for origin in origins):
            return 403, "another site may not ask"
        is_door = self._token is not None and not by_page and path in OPEN and method == "GET"
        if not is_door and any(
            site not in ("same-origin", "none") for site in named.get("sec-fetch-site", [])
        ):
            return 403, "another site may not ask"
        if self._token is None or (not by_page and (path in OPEN or path.startswith(ASSETS))):
            return None
        if by_page:
            if not self._has_cookie(named):
                return (
                    401,
                    "this page has no key any more; open the address of `dejavu serve` again",
                )
            kinds = [kind.partition(";")[0].strip() for kind in named.get("content-type", [])]
            if method not in ("GET", "HEAD") and (
                origins != [own] or kinds != ["application/json"]
            ):
                return 403, "a page of ours says its Origin and sends JSON"
            return None
        if not self._has_token(named, path):
            where = f"the token in {self._token_file}" if self._token_file else "the token"
            return 401, f"send `Authorization: Bearer TOKEN` with {where}"
        return None

    def _has_token(self, named: _Headers, path: str) -> bool:
        token = given_token(named.get("authorization", ()))
        if not token or self._token is None:
            return False
        if (
            path == LOGIN
            and self._code
            and secrets.compare_digest(token.encode(), self._code.encode())
        ):
            self._code = ""
            self.on_code()
            return time.monotonic() < self._code_ends
        return secrets.compare_digest(token.encode(), self._token.encode())

    def _has_cookie(self, named: _Headers) -> bool:
        pairs = (pair.strip().partition("=") for text in named.get("cookie", ())
                 for pair in text.split(";"))  # fmt: skip
        values = [value for name, _, value in pairs if name == _COOKIE]
        return any(secrets.compare_digest(one.encode(), self._cookie.encode()) for one in values)

    def _is_ours(self, host: str) -> bool:
        for name in _NAMES:
            if host.lower() == name:
                return self._port is None or self._port == 80
            if host.lower().startswith(name + ":"):
                port = host[len(name) + 1 :]
                return port.isdecimal() and (self._port is None or port == str(self._port))
        return False


def _named(headers: Iterable[tuple[bytes, bytes]]) -> _Headers:
    named: _Headers = {}
    for name, value in headers:
        named.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return named


def _door_to(path: str, scope: Scope, by_page: bool) -> bytes:
    """The address of the door, with the wanted page and its query behind the # (never sent on).

    The page is named without the random path of a server, this one or one that has ended.
    """
    page = path if by_page else _PREFIX.sub("/", path, count=1)
    asked = bytes(scope.get("query_string", b"")).decode("latin-1")
    wanted = quote(page) + (f"?{asked}" if asked else "")
    return f"/#{urlencode({'page': wanted})}".encode() if wanted != "/" else b"/"


async def _refuse(send: Send, status: int, sentence: str) -> None:
    more = ((b"www-authenticate", b"Bearer"),) if status == 401 else ()
    await _answer(send, status, {"error": sentence}, *more)


async def _answer(send: Send, status: int, value: Any, *more: tuple[bytes, bytes]) -> None:
    body = json.dumps(value).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *more]})
    await send({"type": "http.response.body", "body": body})
