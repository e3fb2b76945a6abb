"""`collect` with a receiver that cannot open; at work it is tested in tests/interfaces/cli."""

import socket
from pathlib import Path

import pytest

from dejavu.extensions.otlp.otlp_server import collect
from dejavu.model import CaptureError


def test_nothing_is_made_where_nothing_can_be_received(home: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(CaptureError, match="cannot listen"):
            collect(
                other.getsockname()[1],
                token="t" * 20,
                instance="local",
                workspace=None,
                ready=print,
            )
    assert list(home.iterdir()) == []
