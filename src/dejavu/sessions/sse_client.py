"""The events of a server on this machine, read as they come, across breaks of the line.

Yields the data of the server-sent events at a URL. Connects to this machine only, follows no
redirection and asks no name server. Memory is bounded by `_LONGEST` an event; a server that stays
away ends it. O(bytes).
"""

import base64
import contextlib
import ipaddress
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import NamedTuple
from urllib.parse import urlsplit

from dejavu.model import CaptureError, ConfigError
from dejavu.providers.formats.wire import EventStream

_LONGEST = 32 << 20
_PIECE = 1 << 16
_ANSWER = 3.0  # seconds until an answer begins: one that is still starting may never give it
_SILENCE = 90.0  # seconds without a byte after which the line is taken for dead
_START = 30.0  # seconds that a server may take to come up
_AWAY = 5.0  # seconds that one which was there may stay away
_PAUSE = 0.1, 0.5  # seconds between two tries, the first and the longest


class Address(NamedTuple):
    """A server on this machine."""

    host: str
    port: int


def parse_address(url: str) -> Address:
    """Where `url` leads to.

    Raises:
        ConfigError: it is no http URL of this machine.
    """
    host, port = "", None
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme == "http" and not parts.username:
            host, port = parts.hostname or "", parts.port or 80
    # A name could be anybody's: only this one is known without asking.
    host = "127.0.0.1" if host == "localhost" else host
    if port is None or not _loopback(host):
        raise ConfigError(
            f"{url}: only a server on this machine is followed; give its address as "
            "http://127.0.0.1:PORT"
        )
    return Address(host, port)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class SseClient:
    """One server's events. `missed` counts those that were too long."""

    def __init__(
        self,
        address: Address,
        paths: tuple[str, ...],
        headers: Mapping[str, str],
        *,
        start: float = _START,
        away: float = _AWAY,
    ) -> None:
        self._where, self._paths, self._headers = address, paths, headers
        self._start, self._away = start, away
        self.missed = 0
        self.lines = 0
        """Times that the line was open."""

    def __iter__(self) -> Iterator[str]:
        """The events until the server is gone.

        Raises:
            CaptureError: it never came, wants a password, or tells no events.
        """
        pause, left = _PAUSE[0], time.monotonic()
        while True:
            opened, lines = time.monotonic(), self.lines
            try:
                yield from self._line()
            except CaptureError:
                if self.lines:  # another process has the port by now
                    return
                raise
            except (OSError, HTTPException) as error:
                trouble = str(error) or type(error).__name__
            else:
                trouble = "it hung up"
            now = time.monotonic()
            if lines == 0 < self.lines:
                left = now
            elif lines < self.lines and now - opened > self._away:
                pause, left = _PAUSE[0], now
            if now - left > (self._away if self.lines else self._start):
                break
            time.sleep(pause)
            pause = min(2 * pause, _PAUSE[1])
        if not self.lines:
            address = f"http://{self._where.host}:{self._where.port}"
            raise CaptureError(f"no server answers at {address} ({trouble})")

    def _line(self) -> Iterator[str]:
        """The events of one connection. Raises OSError, HTTPException, CaptureError."""
        connection = HTTPConnection(*self._where, timeout=_ANSWER)
        try:
            response = self._asked(connection)
            self.lines += 1
            stream, buffered = EventStream(), 0
            while piece := response.read1(_PIECE):
                buffered += len(piece)
                for message in stream.feed(piece):
                    buffered = len(piece)
                    yield message.data
                if buffered > _LONGEST:
                    self.missed += 1
                    return
        finally:
            connection.close()

    def _asked(self, connection: HTTPConnection) -> HTTPResponse:
        """The answer of the first path that tells events."""
        for path in self._paths:
            connection.request(
                "GET", path, headers={"Accept": "text/event-stream", **self._headers}
            )
            response = connection.getresponse()
            kind = response.getheader("Content-Type", "")
            if response.status == 200 and kind.startswith("text/event-stream"):
                return response
            if response.status >= 500:
                raise HTTPException(f"status {response.status}")
            if response.status in (401, 403):
                raise CaptureError("the server wants a password; see `dejavu import -h`")
            connection.close()  # what else it says is of no use, and may be long
        raise CaptureError(
            f"http://{self._where.host}:{self._where.port} tells no events at {self._paths[0]}"
        )


def basic_auth(user: str, password: str) -> dict[str, str]:
    """The header of RFC 7617."""
    return {"Authorization": f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"}
