"""Post traces to the OTLP/HTTP receiver that the user named, and nowhere else.

The only module of `export` that uses the network; redirects are not followed. Ids are the same for a
conversation each time, so sending again after a failure duplicates nothing. O(turns).
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from dejavu.model import ConfigError, Conversation, DejavuError

from .spans import request_of, spans_of

_BATCH = 200
"""Spans in one request; receivers refuse large ones."""


def send(
    conversation: Conversation,
    endpoint: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 30.0,
) -> int:
    """Post the conversation to an OTLP/HTTP receiver and return the number of spans it accepted.

    endpoint: its address; `/v1/traces` is added where it is missing.

    Raises:
        ConfigError: the endpoint is no http or https address.
        DejavuError: it could not be reached, or rejected (nothing is lost by sending again).
    """
    address = _address(endpoint)
    spans = list(spans_of(conversation))
    accepted = 0
    for start in range(0, len(spans), _BATCH):
        batch = spans[start : start + _BATCH]
        rejected = _post(address, request_of(conversation, batch), headers or {}, timeout)
        accepted += len(batch) - rejected
    return accepted


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirect: it comes back as the error it is."""


def _address(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"{endpoint!r} is no OTLP endpoint; give an address such as http://127.0.0.1:4318"
        )
    path = parts.path.rstrip("/")
    return parts._replace(
        path=path if path.endswith("/v1/traces") else path + "/v1/traces"
    ).geturl()


def _post(address: str, request: dict[str, Any], headers: Mapping[str, str], timeout: float) -> int:
    """Send one request and return how many of its spans were rejected."""
    body = json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()
    post = Request(  # noqa: S310 - `_address` lets only http and https pass
        address, body, {**headers, "Content-Type": "application/json"}, method="POST"
    )
    try:
        with build_opener(_NoRedirect()).open(post, timeout=timeout) as response:
            content = response.read(1 << 16)
    except HTTPError as error:
        raise DejavuError(
            f"{address} answered {error.code} {error.reason}; see what it logs, then send again"
        ) from error
    except (URLError, OSError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise DejavuError(f"{address} cannot be reached ({reason}); is it running?") from error
    try:
        return int(json.loads(content or b"{}")["partialSuccess"]["rejectedSpans"])
    except (ValueError, KeyError, TypeError):
        return 0
