"""Whose process is at the other end: this user's, another's, one that has gone, one nobody knows."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.other_user import UID, attempt, attempts, needs_other_user

from dejavu.capsule import peer_identity
from dejavu.capsule.peer_identity import UNKNOWN, is_same_user, peer_user

PLACES = [
    (socket.AF_INET, "127.0.0.1", "127.0.0.1"),
    (socket.AF_INET, "127.0.0.1", "::ffff:127.0.0.1"),
    (socket.AF_INET6, "::1", "::1"),
    (socket.AF_INET6, "::", "127.0.0.1"),
    (socket.AF_INET6, "::", "::1"),
    (socket.AF_INET6, "::ffff:127.0.0.1", "::ffff:127.0.0.1"),
]
IDS = [f"{listens}-{asks}" for _, listens, asks in PLACES]
linux = pytest.mark.skipif(not hasattr(socket, "AF_NETLINK"), reason="Linux tells of TCP alone")


@pytest.fixture(params=["netlink", "tables"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of asking; the tables alone where a sandbox forbids netlink."""
    if request.param == "tables":
        if not Path("/proc/net/tcp").exists():
            pytest.skip("there are no tables here")
        monkeypatch.setattr(peer_identity, "_diag_user", _forbidden)
    else:
        monkeypatch.setattr(peer_identity, "_TABLES", ())
    return str(request.param)


def _forbidden(*_: object) -> None:
    raise PermissionError(1, "a sandbox")


def _listen(family: socket.AddressFamily, host: str) -> socket.socket:
    listener = socket.socket(family)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listener.bind((host, 0))
    listener.listen()
    listener.settimeout(20)
    return listener


@pytest.fixture
def pair() -> Iterator[Any]:
    """`pair(family, listens, asks)`: our end and the client's of a connection of this user."""
    opened: list[socket.socket] = []

    def connect(family: socket.AddressFamily, listens: str, asks: str) -> list[socket.socket]:
        with _listen(family, listens) as listener:
            client = socket.socket(socket.AF_INET6 if ":" in asks else socket.AF_INET)
            client.connect((asks, listener.getsockname()[1]))
            ours, _ = listener.accept()
        opened.extend((ours, client))
        return [ours, client]

    yield connect
    for one in opened:
        one.close()


@linux
@pytest.mark.parametrize("place", PLACES, ids=IDS)
@pytest.mark.fault("C1")
def test_a_connection_of_ours_is_ours_in_every_family(pair: Any, way: str, place: Any) -> None:
    ours, client = pair(*place)
    assert peer_user(ours) == os.geteuid()
    client.shutdown(socket.SHUT_WR)  # it has asked, and waits for the answer
    assert peer_user(ours) == os.geteuid()


@linux
@needs_other_user
@pytest.mark.parametrize("place", PLACES, ids=IDS)
@pytest.mark.fault("C1")
def test_another_user_is_known_in_every_family(way: str, place: Any) -> None:
    family, listens, asks = place
    with _listen(family, listens) as listener:
        port = listener.getsockname()[1]
        from threading import Thread

        seen: list[int | None] = []

        def serve() -> None:
            ours, _ = listener.accept()
            with ours:
                seen.append(peer_user(ours))
                assert not is_same_user(ours)

        server = Thread(target=serve)
        server.start()
        attempts([attempt(asks, port, b"x")])
        server.join(20)
    assert seen == [UID]


@linux
@needs_other_user
@pytest.mark.fault("C1")
def test_one_who_closed_at_once_is_not_taken_for_root(way: str) -> None:
    """The kernel shows a socket that its process has closed as user 0's."""
    with _listen(socket.AF_INET, "127.0.0.1") as listener:
        port = listener.getsockname()[1]
        attempts([attempt("127.0.0.1", port, b"a request", close=True)])
        ours, _ = listener.accept()
        with ours:
            assert ours.recv(100) == b"a request"  # it came, all the same
            assert peer_user(ours) == UNKNOWN
            assert not is_same_user(ours)


@linux
@pytest.mark.fault("C1")
def test_what_is_not_found_is_refused(way: str, pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pair of addresses is another's: what a proxy of the kernel in between makes of it."""
    ours, _ = pair(*PLACES[0])
    real = peer_identity._packed
    monkeypatch.setattr(peer_identity, "_packed", lambda name: (real(name)[0], 1))
    if way == "netlink":
        monkeypatch.setattr(peer_identity, "_TABLES", ("/proc/net/tcp",))
    assert peer_user(ours) == UNKNOWN


@linux
def test_a_listener_on_the_peers_port_is_not_the_peer(way: str, pair: Any) -> None:
    """The kernel's look-up goes on to listeners, where no connection fits."""
    ours, client = pair(*PLACES[0])
    name = client.getsockname()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()  # with a reset: the pair is gone from the kernel at once
    with socket.socket() as listener:
        listener.bind(name)
        listener.listen()
        mine = peer_identity._packed(ours.getsockname())
        assert peer_identity._table_user(peer_identity._packed(name), mine) in (UNKNOWN, None)
        if way == "netlink":
            assert peer_identity._diag_user(peer_identity._packed(name), mine) is None


@linux
def test_where_nothing_tells_the_token_decides(
    pair: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours, _ = pair(*PLACES[0])
    monkeypatch.setattr(peer_identity, "_diag_user", _forbidden)
    monkeypatch.setattr(peer_identity, "_TABLES", (str(tmp_path / "tcp"), str(tmp_path / "tcp6")))
    assert peer_user(ours) is None
    assert is_same_user(ours)
    (tmp_path / "tcp").mkdir()  # it is there, and cannot be read: no reason to let anyone in
    assert peer_user(ours) == UNKNOWN


@linux
def test_a_table_is_read_to_a_bound(
    pair: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours, _ = pair(*PLACES[0])
    row = " 0: 0100007F:0001 00000000:0000 0A 0:0 00:0 0 0 0 1 1\n"
    tail = Path("/proc/net/tcp").read_text() if Path("/proc/net/tcp").exists() else ""
    if not tail:
        pytest.skip("there are no tables here")
    (tmp_path / "tcp").write_text(row * 50 + tail)
    monkeypatch.setattr(peer_identity, "_diag_user", _forbidden)
    monkeypatch.setattr(peer_identity, "_TABLES", (str(tmp_path / "tcp"),))
    assert peer_user(ours) == os.geteuid()
    monkeypatch.setattr(peer_identity, "_MOST_ROWS", 50)
    assert peer_user(ours) == UNKNOWN


def test_we_are_ourselves_on_a_unix_socket() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_user(one) == os.geteuid()
        assert is_same_user(one)


@pytest.mark.parametrize(("user", "served"), [(os.geteuid(), True), (0, True), (12345, False)])
def test_without_so_peercred_the_systems_getpeereid_decides(
    monkeypatch: pytest.MonkeyPatch, user: int, served: bool
) -> None:
    # What the BSDs and macOS have, in the place of the C library: no such system is at hand.
    import ctypes

    class Library:
        def getpeereid(self, _fd: int, uid: object, _gid: object) -> int:
            uid._obj.value = user  # type: ignore[attr-defined]
            return 0

    monkeypatch.delattr(socket, "SO_PEERCRED", raising=False)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert is_same_user(ours)  # a C library without it: the mode decides
        monkeypatch.setattr(ctypes, "CDLL", lambda *_args, **_more: Library())
        assert is_same_user(ours) is served
