"""The outlet: never waits, never changes what others share, drops only what nobody can read."""

import fcntl
import os
import socket
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.capsule.fd_writer import NonBlockingWriter, reopen


def same(one, other):
    """Equality without a diff: pytest would compare megabytes line by line for minutes."""
    return bytes(one) == bytes(other)


def status(fd):
    return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK


def opened_anew(pipe_end):
    own = reopen(pipe_end, os.O_WRONLY)
    if own is None:
        pytest.skip("a pipe has no name here: no /proc")
    return own


@pytest.fixture
def pipe():
    ours, its = os.pipe()
    yield ours, its
    for fd in (ours, its):
        with suppress(OSError):
            os.close(fd)


def test_what_does_not_go_at_once_waits_in_order(pipe):
    ours, its = pipe
    own = opened_anew(its)
    writer_for = NonBlockingWriter(own, 1000)
    data = os.urandom(300_000)
    for start in range(0, len(data), 50_000):
        writer_for.write(data[start : start + 50_000])
    assert writer_for.pending > 0
    assert writer_for.full
    got = b""
    while len(got) < len(data):
        got += os.read(ours, 65536)
        writer_for.flush()
    assert same(got, data)
    assert writer_for.pending == 0
    os.close(own)


def test_the_shared_open_file_stays_blocking(pipe):
    own = opened_anew(pipe[1])
    assert status(own)
    assert not status(pipe[1])
    os.close(own)


def test_a_terminal_is_opened_anew():
    master, slave = os.openpty()
    own = reopen(slave, os.O_WRONLY)
    assert status(own)
    assert not status(slave)
    os.write(own, b"x")
    assert os.read(master, 10) == b"x"
    for fd in (own, master, slave):
        os.close(fd)


def test_files_and_sockets_are_not(tmp_path):
    with (tmp_path / "out").open("wb") as file:
        assert reopen(file.fileno(), os.O_WRONLY) is None
    left, right = socket.socketpair()
    with left, right:
        assert reopen(left.fileno(), os.O_WRONLY) is None


@given(st.lists(st.binary(max_size=3000), max_size=40))
def test_a_blocking_descriptor_is_written_in_small_pieces_and_never_blocks(chunks):
    ours, its = os.pipe()
    fcntl.fcntl(its, fcntl.F_SETPIPE_SZ, 4096)
    writer_for = NonBlockingWriter(its, 1000, blocking=True)
    got = bytearray()
    for chunk in chunks:
        writer_for.write(chunk)  # would hang here
    while writer_for.pending:
        got += os.read(ours, 65536)
        writer_for.flush()
    os.close(its)
    while data := os.read(ours, 65536):
        got += data
    os.close(ours)
    assert got == b"".join(chunks)


@pytest.mark.parametrize("blocking", [False, True])
def test_it_closes_when_nobody_reads_any_more(pipe, blocking):
    ours, its = pipe
    writer_for = NonBlockingWriter(its, 1000, blocking=blocking)
    os.close(ours)
    writer_for.write(b"x")
    assert writer_for.closed
    writer_for.write(b"y")
    assert writer_for.pending == 0


def test_without_a_descriptor_it_is_closed():
    writer_for = NonBlockingWriter(None, 0)
    writer_for.write(b"x")
    writer_for.flush()
    assert (writer_for.closed, writer_for.pending, writer_for.full) == (True, 0, False)


def test_settling_waits_only_so_long(pipe):
    ours, its = pipe
    own = opened_anew(its)
    writer_for = NonBlockingWriter(own, 1000)
    writer_for.write(bytes(200_000))
    waiting = writer_for.pending
    writer_for.drain(0.01)
    assert writer_for.pending == waiting
    assert len(os.read(ours, 65536)) == 65536
    writer_for.drain(0.01)
    assert 0 < writer_for.pending < waiting
    os.close(own)
