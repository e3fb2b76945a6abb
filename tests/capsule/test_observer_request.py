"""Asking a server for an observer: answered, refused, or never answered; nothing is lost or doubled."""

import array
import contextlib
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dejavu.capsule import Exit, ObserverProcess, Output
from dejavu.capsule.observer_process import ANSWER_TIME
from dejavu.capsule.observer_request import GO, LENGTH, READY

PROGRAM = "import os, sys; data = sys.stdin.buffer.read(); os.write(3, b'own %d' % len(data))"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="observer servers are Linux's")


class FakeServer:
    """A server that receives one request and then does as it is told."""

    def __init__(self, path: Path, behave: Callable[["FakeServer"], None]) -> None:
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        self.listener.listen()
        self.fields: list[bytes] = []
        self.descriptors: list[int] = []
        self.thread = threading.Thread(target=self._run, args=(behave,), daemon=True)
        self.thread.start()

    def _run(self, behave: Callable[["FakeServer"], None]) -> None:
        self.connection, _ = self.listener.accept()
        data, ancillary, _, _ = self.connection.recvmsg(1 << 20, socket.CMSG_SPACE(12))
        (length,) = LENGTH.unpack_from(data)
        if len(data) == LENGTH.size + length:
            self.fields = data[LENGTH.size :].split(b"\0")
        for _, _, rights in ancillary:
            self.descriptors += array.array("i", rights)
        with contextlib.suppress(OSError):
            behave(self)

    def close_all(self) -> None:
        for fd in self.descriptors:
            os.close(fd)
        self.descriptors = []
        self.connection.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., FakeServer]]:
    servers: list[FakeServer] = []

    def start(behave: Callable[[FakeServer], None]) -> FakeServer:
        servers.append(FakeServer(tmp_path / "s", behave))
        return servers[-1]

    yield start
    for server in servers:
        server.thread.join(10)
        server.close_all()
        server.listener.close()


def run(path: Path, **options: object) -> ObserverProcess:
    """A session of one output through an observer, in the loop that `Session` has."""
    observer = ObserverProcess(
        [sys.executable, "-c", PROGRAM], server=lambda: (str(path), b"me"), **options
    )  # type: ignore[arg-type]
    observer.event(Output(1.0, b"x" * 100))
    observer.event(Exit(2.0, 0))
    observer.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and (fds := observer.poll_fds()):
        ready, _, _ = select.select([fd for fd, _ in fds], [], [], 0.02)
        for fd in ready:
            observer.ready(fd)
        if observer.deadline is not None and time.monotonic() >= observer.deadline:
            observer.expire()
    observer.abort()
    return observer


def answer(server: FakeServer) -> None:
    server.connection.sendall(READY)
    assert server.connection.recv(1) == GO
    frames, reports, folder = server.descriptors
    data = b""
    while piece := os.read(frames, 1 << 16):
        data += piece
    os.write(reports, b"served %d" % len(data))
    assert os.fstat(folder).st_ino == Path().stat().st_ino
    server.close_all()


def test_the_server_observes(serve: Callable[..., FakeServer], tmp_path: Path) -> None:
    server = serve(answer)
    observer = run(tmp_path / "s", env={"A": "1", "B": "x=y\udcff"}, log="/dev/null")
    assert observer.report.startswith(b"served 1")
    assert (observer.pid, observer.done) == (0, True)
    identity, umask, log, *environment = server.fields
    assert (identity, log, environment) == (b"me", b"/dev/null", [b"shared", b"A=1", b"B=x=y\xff"])
    mask = os.umask(0o22)
    os.umask(mask)
    assert int(umask) == mask


@pytest.mark.parametrize(
    ("behave", "waits"),
    [
        (lambda server: server.close_all(), False),
        (lambda server: (server.connection.sendall(b"n"), server.close_all()), False),
        (lambda _: None, True),
    ],
    ids=["gone", "refuses", "hangs"],
)
def test_where_it_does_not_answer_a_program_is_started(
    serve: Callable[..., FakeServer],
    tmp_path: Path,
    behave: Callable[[FakeServer], None],
    waits: bool,
) -> None:
    server = serve(behave)
    began = time.monotonic()
    observer = run(tmp_path / "s")
    assert observer.report.startswith(b"own 1")
    assert observer.pid
    if waits:
        assert time.monotonic() - began >= ANSWER_TIME
        with pytest.raises(BrokenPipeError):  # too late: it will not be told to begin
            server.connection.sendall(READY)


@pytest.mark.parametrize("path", ["missing", "file", "x" * 90 + "/y"], ids=lambda name: name[:10])
def test_no_server_is_no_fault(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    observer = run(tmp_path / path)
    assert observer.report.startswith(b"own 1")


def test_an_environment_that_does_not_fit_is_not_sent(
    serve: Callable[..., FakeServer], tmp_path: Path
) -> None:
    large = {f"V{number}": "x" * 100_000 for number in range(12)}
    server = serve(lambda server: server.close_all())
    observer = run(tmp_path / "s", env=large)
    assert observer.report.startswith(b"own 1")
    assert server.fields == []


def test_a_session_that_ends_before_the_answer_is_observed_all_the_same(
    serve: Callable[..., FakeServer], tmp_path: Path
) -> None:
    serve(lambda _: None)
    log = tmp_path / "log"
    program = "import sys; print(len(sys.stdin.buffer.read()))"
    observer = ObserverProcess(
        [sys.executable, "-c", program], server=lambda: (str(tmp_path / "s"), b"me"), log=str(log)
    )
    observer.event(Output(1.0, b"x" * 100))
    observer.close()
    observer.abort()
    os.waitpid(observer.pid, 0)
    assert int(log.read_text()) > 100
