"""A server far away: a TCP proxy that holds every byte back for half a round trip each way."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

from tests.postgres import Server


class Far:
    """Stands before the server; `trips` counts how often an answer was waited for. `close` it."""

    def __init__(self, server: Server, seconds: float) -> None:
        self.trips = 0
        self._server = server
        self._ends: set[socket.socket] = set()
        self._cut = False
        self._delay = seconds / 2
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._start(self._accept)

    def url(self, schema: str) -> str:
        """The URL of the archive in `schema`, from afar."""
        from tests.postgres import PASSWORD

        near = self._server.url(schema=schema, password=PASSWORD)
        return near.replace(f":{self._server.port}/", f":{self.port}/")

    def _start(self, work: Callable[..., None], *given: object) -> None:
        threading.Thread(target=work, args=given, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self._cut:
                    client.close()
                    continue
                try:
                    there = socket.create_connection(("127.0.0.1", self._server.port))
                except OSError:  # the server is down
                    client.close()
                    continue
                self._ends |= {client, there}
                for end in (client, there):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for one, other, asks in ((client, there, True), (there, client, False)):
                    line: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
                    self._start(self._take, one, line, asks)
                    self._start(self._give, line, other)

    def _take(
        self, end: socket.socket, line: "SimpleQueue[tuple[float, bytes]]", asks: bool
    ) -> None:
        last = 0.0
        data = b"-"
        while data:
            data = b""
            with suppress(OSError):
                data = end.recv(1 << 18)
            now = time.monotonic()
            if asks and data and now - last > self._delay:
                self.trips += 1
            last = now
            line.put((now + self._delay, data))

    def _give(self, line: "SimpleQueue[tuple[float, bytes]]", end: socket.socket) -> None:
        with suppress(OSError):
            while True:
                due, data = line.get()
                if not data:
                    break
                time.sleep(max(0.0, due - time.monotonic()))
                end.sendall(data)
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
        self._ends.discard(end)

    def cut(self, *, off: bool) -> None:
        """Break every connection and take none, or take them again."""
        self._cut = off
        for end in tuple(self._ends) if off else ():
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listening.close()
