"""What is written down of one exchange while it passes.

Makes one line of a spool of both bodies, or None. Whatever fails here costs the line, never the
exchange. Keys: see `providers.formats.wire`.
"""

from collections.abc import Callable, Mapping

from dejavu.config.clock import now
from dejavu.providers.formats.wire import Exchange, api_of
from dejavu.services.content_coding import Decoder, decoder


class Tap:
    """One exchange. `target` is the path and query as sent to the model's server."""

    def __init__(self, target: str, headers: Mapping[str, str]) -> None:
        self._exchange = Exchange(target, headers.items(), now())
        self._asked = decoder(headers.get("content-encoding", ""))
        self._told: Decoder | None = None
        self.size = 0
        """Bytes held, about."""
        self.lost = False
        """Whether a body could not be decoded: then there is no line."""

    def request(self, chunk: bytes) -> None:
        """The next bytes of the request's body."""
        self._take(self._asked, chunk, self._exchange.request)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """The response's head."""
        self._exchange.status = status
        self._told = decoder(headers.get("content-encoding", ""))

    def response(self, chunk: bytes) -> None:
        """The next bytes of the response's body."""
        self._take(self._told, chunk, self._exchange.response)

    def line(self) -> bytes | None:
        """The exchange as a line; None if it is none with a model, too long, or was not read."""
        return None if self.lost or not self._exchange.status else self._exchange.line()

    @property
    def dropped(self) -> bool:
        """Whether an exchange with a model is not kept, for its length or its coding."""
        return self.lost or self._exchange.dropped

    def _take(self, decoding: Decoder | None, chunk: bytes, keep: Callable[[bytes], None]) -> None:
        if self.dropped:
            return
        if decoding is None:
            self.lost = True
            return
        try:
            for piece in decoding.feed(chunk):
                keep(piece)
                self.size += len(piece)
                if self._exchange.dropped:
                    self.size = 0
                    return
        except ValueError:
            self.lost = True


def tap_of(target: str, headers: Mapping[str, str]) -> Tap | None:
    """A tap where a model is asked; None elsewhere: nothing of that is looked at."""
    return Tap(target, headers) if api_of(target) is not None else None
