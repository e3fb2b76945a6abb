"""Tools' results checked for secrets while the agent waits: one socket, one thread.

`interfaces.hooks.guard` sends a payload with the secrets of its own environment, which the daemon
does not know; the answer is what to print and what to keep. Neither is kept here or written
anywhere. A thread of its own, because the prompts' server may be busy with an index for tens of
milliseconds. Costs O(result).
"""

import contextlib
import json
import logging
import selectors
import socket
import threading
import time
from functools import lru_cache
from pathlib import Path

from dejavu.config.redaction_key import redaction_key
from dejavu.model import DejavuError
from dejavu.redact import Redactor, secret_values

from ..guard import guarded
from ..hook_protocol import ANSWERED, GUARD_LARGEST, GUARD_MAGIC, GUARD_SOCKET, NOT_ANSWERED
from .prompt_server import listen

_FIELDS = 4  # lines before the payload: magic, deadline, agent, environment
_PATIENCE = 0.5  # seconds for which a request may stall

_log = logging.getLogger(__name__)


class GuardServer(threading.Thread):
    """One server, in the working folder of the daemon."""

    def __init__(self) -> None:
        super().__init__(name="guard", daemon=True)
        self.last = time.monotonic()
        """When a result was checked last, as `time.monotonic` tells it."""
        self._leaving = threading.Event()

    def close(self) -> None:
        """Leave soon, and wait for it a moment."""
        self._leaving.set()
        self.join(2.0)

    def run(self) -> None:
        """Answer until told to leave."""
        with (
            contextlib.closing(listen(GUARD_SOCKET)) as listener,
            selectors.DefaultSelector() as selector,
        ):
            selector.register(listener, selectors.EVENT_READ)
            try:
                with contextlib.suppress(DejavuError, OSError):
                    _redactor(())  # the rules are loaded now, not when somebody waits
                while not self._leaving.is_set():
                    if selector.select(0.2):
                        self._serve(listener)
            finally:
                Path(GUARD_SOCKET).unlink(missing_ok=True)

    def _serve(self, listener: socket.socket) -> None:
        """Everybody who connected, in turn."""
        while True:
            try:
                peer, _ = listener.accept()
            except BlockingIOError:
                return
            with peer, contextlib.suppress(OSError):
                peer.settimeout(_PATIENCE)
                request = bytearray()
                while len(request) <= 2 * GUARD_LARGEST and (piece := peer.recv(1 << 18)):
                    request += piece
                peer.sendall(answer(bytes(request)))
            self.last = time.monotonic()


def answer(request: bytes) -> bytes:
    """Return the answer to a request: how long the output is, the output, what to keep.

    A request that is none, came too late or cannot be judged is not answered: the hook then judges
    for itself, or withholds.
    """
    try:
        lines = request.split(b"\n", _FIELDS)
        if len(lines) != _FIELDS + 1 or lines[0] != GUARD_MAGIC:
            return NOT_ANSWERED
        if time.monotonic_ns() > int(lines[1]):
            return NOT_ANSWERED
        environ: dict[str, str] = json.loads(lines[3])
        redactor = _redactor(tuple(secret_values(environ)))
        result = guarded(lines[2].decode(), lines[_FIELDS], redactor.redact)
    except (DejavuError, OSError, ValueError, RecursionError):
        return NOT_ANSWERED
    except Exception:  # a fault of ours must cost one answer, not the server
        _log.exception("a tool's result could not be checked")
        return NOT_ANSWERED
    return b"%s%d\n%s%s" % (ANSWERED, len(result.output), result.output, result.payload)


@lru_cache(8)
def _redactor(secrets: tuple[str, ...]) -> Redactor:
    return Redactor(redaction_key(), secrets)
