"""One request to the daemon and its answer, over one of its sockets. Imports built-in modules only.

Tested in: tests/interfaces/hooks/test_guard.py
"""

import _socket
import os
import time

from dejavu.services.hook_protocol import folder


def exchange(name: str, request: bytes, deadline: float) -> bytes:
    """Send a request to the daemon's socket `name`; return its answer.

    deadline: as `time.monotonic` tells it.

    Raises:
        OSError: there is no daemon, or it took too long.
    """
    before = os.getcwd()  # noqa: PTH109 - without pathlib
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        peer.settimeout(max(0.001, deadline - time.monotonic()))
        os.chdir(folder())  # the path of a socket may have no more than about 100 bytes
        try:
            peer.connect(name)
        finally:
            os.chdir(before)
        peer.sendall(request)
        peer.shutdown(_socket.SHUT_WR)
        answer = bytearray()
        while True:
            peer.settimeout(max(0.001, deadline - time.monotonic()))
            piece = peer.recv(1 << 16)
            if not piece:
                return bytes(answer)
            answer += piece
    finally:
        peer.close()
