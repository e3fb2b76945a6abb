"""One request to a model and its response, as a proxy sees them pass.

Collects both bodies in chunks, already decoded (no gzip), and the session's id from a few headers,
and encodes them as one line of a spool. Does no I/O. Memory is bounded: of a body longer than
`LIMIT` nothing is kept, and the exchange says so.

Keys are never kept: of the headers only those in `SESSION_HEADERS`, nothing of the query, no body
of a path where no model is asked; and a key that a body repeats (an error may) is blanked.
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from ...registry import agents
from ..json_lines import decode_lenient
from .chat_completions import CHAT
from .generate_content import GENERATE_CONTENT
from .messages import MESSAGES
from .protocol import Api
from .responses import RESPONSES

LIMIT = 32 << 20
"""Bytes of a body beyond which it is not kept."""
APIS: tuple[Api, ...] = (MESSAGES, RESPONSES, CHAT, GENERATE_CONTENT)
SESSION_HEADERS = (
    *(agent.session_header for agent in agents().values() if agent.session_header),
    "x-session-id", "x-session-affinity", "session_id", "session-id", "conversation_id",
    "thread-id",
)  # fmt: skip
"""Headers, in lower case, whose value is the agent's id of its session."""

_KEY_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
)
_BLANK = b"***"
_SHORTEST = 8  # characters of a key that is worth blanking: a shorter one is a placeholder


def api_of(path: str) -> Api | None:
    """The API that a path (with or without query) belongs to; None if no model is asked there."""
    bare = path.partition("?")[0]
    return next((api for api in APIS if api.matches(bare)), None)


class Exchange:
    """A request and its response. Feed it what passes, then take its line."""

    def __init__(self, path: str, headers: Iterable[tuple[str, str]], at: float) -> None:
        api = api_of(path)
        self.api = "" if api is None else api.name
        """"" if the model is not asked here: then nothing is kept at all."""
        self.path, _, query = path.partition("?")
        self.at = at
        self.status = 0
        by_name = {name.lower(): value for name, value in headers}
        self._keys = list(_keys(by_name, query))
        sessions = (by_name[name] for name in SESSION_HEADERS if by_name.get(name))
        self.session = next(sessions, None)
        self.dropped = False
        self._request = bytearray()
        self._response = bytearray()

    def request(self, chunk: bytes) -> None:
        """The next bytes of the request's body."""
        self._keep(self._request, chunk)

    def response(self, chunk: bytes) -> None:
        """The next bytes of the response's body."""
        self._keep(self._response, chunk)

    def line(self) -> bytes | None:
        """The exchange as a line of a spool; None if it is not one with a model."""
        if not self.api or self.dropped:
            return None
        request = decode_lenient(self._blanked(self._request))
        if not isinstance(request, dict):
            return None
        fields: dict[str, Any] = {
            "t": self.at, "api": self.api, "path": self.path, "status": self.status,
            "session": self.session, "request": request,
            "response": self._blanked(self._response).decode("utf-8", "replace"),
        }  # fmt: skip
        return msgspec.json.encode(fields) + b"\n"

    def _blanked(self, body: bytearray) -> bytes:
        """The body without the keys that came in the headers or the query."""
        blanked = bytes(body)
        for key in self._keys:
            blanked = blanked.replace(key, _BLANK)
        return blanked

    def _keep(self, body: bytearray, chunk: bytes) -> None:
        if not self.api or self.dropped:
            return
        if len(body) + len(chunk) > LIMIT:
            self.dropped = True
            self._request.clear()
            self._response.clear()
        else:
            body += chunk


def _keys(headers: dict[str, str], query: str) -> Iterable[bytes]:
    """The keys of a request, longest first, so that none is left by half."""
    values = {headers.get(name, "") for name in _KEY_HEADERS}
    values |= {value.rpartition(" ")[2] for value in values}
    values |= {value for name, value in parse_qsl(query) if name in ("key", "access_token")}
    encoded = (value.encode("utf-8", "replace") for value in values if len(value) >= _SHORTEST)
    return sorted(encoded, key=len, reverse=True)
