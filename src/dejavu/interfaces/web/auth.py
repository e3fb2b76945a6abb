"""The rules that every request passes before anything is read for it.

Refused are
- a `Host` that is not this machine (and, over TCP, this port): DNS rebinding;
- an `Origin` that is not our own, and requests a browser sends on behalf of another site;
- over TCP, a missing or wrong bearer token, compared in constant time.
There are no CORS headers at all. No answer may be cached, framed or sniffed. Standard library only.
"""

import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = frozenset({"/", "/fleet.css", "/fleet.js"})
"""Paths that need no token: the page and its parts hold nothing of anybody."""

_NAMES = ("localhost", "127.0.0.1", "[::1]")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            return

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [pair for pair in message["headers"] if pair[0] != b"cache-control"]
                message = {**message, "headers": [*headers, *HEADERS]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send_marked)
        else:
            await _refuse(send_marked, *refusal)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and sentence, or None where the request may pass."""
        headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
        named: dict[str, list[str]] = {}
        for name, value in headers:
            named.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        host = named.get("host", [])
        if len(host) != 1 or not self._is_ours(host[0]):
            return 403, "this address is not ours; ask 127.0.0.1 or localhost"
        own = f"http://{host[0].lower()}"
        if any(origin.lower() != own for origin in named.get("origin", [])):
            return 403, "another site may not ask"
        if any(site not in ("same-origin", "none") for site in named.get("sec-fetch-site", [])):
            return 403, "another site may not ask"
        if self._token is not None and scope["path"] not in OPEN:
            authorization = named.get("authorization", [""])
            scheme, _, token = authorization[0].partition(" ")
            same = secrets.compare_digest(token.strip().encode(), self._token.encode())
            if len(authorization) != 1 or scheme.lower() != "bearer" or not same:
                where = f"the token in {self._token_file}" if self._token_file else "the token"
                return 401, f"send `Authorization: Bearer TOKEN` with {where}"
        return None

    def _is_ours(self, host: str) -> bool:
        for name in _NAMES:
            if host.lower() == name:
                return self._port is None or self._port == 80
            if host.lower().startswith(name + ":"):
                port = host[len(name) + 1 :]
                return port.isdecimal() and (self._port is None or port == str(self._port))
        return False


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
