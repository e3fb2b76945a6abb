"""The control socket: private, bounded, and harmless whatever comes over it."""

import socket
import stat
import threading
import time

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dejavu.capsule import Size
from dejavu.capsule.control import MAX_CLIENTS, MAX_REQUEST, ControlServer, ask, send, size
from dejavu.model import CaptureError, KeysBetweenError


class Agent:
    """What is typed into; takes at most `room` bytes."""

    def __init__(self, room=1 << 20):
        self.size = Size(120, 40)
        self.mode, self.offset, self.input_full = "headless", 0, False
        self.input_at = 0.0
        self.typed = b""
        self.room = room

    def type(self, data):
        if len(self.typed) >= self.room:
            return False
        self.typed += data
        return True

    @property
    def input_offset(self):
        return len(self.typed)

    def set_size(self, columns, lines):
        self.size = Size(columns, lines)
        return True


def serve(server, until):
    """The part of the session's loop that matters here, in a thread."""
    import select

    while not until.is_set():
        poll = select.poll()
        for fd, mask in server.poll_fds():
            poll.register(fd, mask)
        for fd, _ in poll.poll(20):
            if any(fd == waited for waited, _ in server.poll_fds()):
                server.ready(fd)


@pytest.fixture
def served(tmp_path):
    """A served agent; gives the agent, its socket's path and the server."""
    stop = threading.Event()
    agent = Agent()
    path = tmp_path / "control"
    server = ControlServer(path, agent)
    thread = threading.Thread(target=serve, args=(server, stop))
    thread.start()
    yield agent, path, server
    stop.set()
    thread.join()
    server.abort()
    assert not path.exists()


def test_typing_and_asking_the_size(served):
    agent, path, _ = served
    send(path, b"hello\r")
    send(path, bytes(range(256)))
    assert agent.typed == b"hello\r" + bytes(range(256))
    assert size(path) == (120, 40)


def test_a_refusal_is_an_error(served):
    agent, path, _ = served
    agent.room = 0
    with pytest.raises(CaptureError, match="does not take input now"):
        send(path, b"x")
    assert ask(path, {"do": "dance"}) == {"ok": False, "error": "unknown request"}


def test_keys_that_follow_others_unseen_are_refused(served):
    agent, path, _ = served
    seen = send(path, b"down")
    assert ask(path, {"do": "size"})["typed"] == seen == 4
    agent.type(b"a person's key")
    with pytest.raises(KeysBetweenError):
        send(path, b"\r", after=seen)
    assert agent.typed == b"downa person's key"
    send(path, b"\r", after=agent.input_offset)
    assert agent.typed.endswith(b"\r")


def test_the_socket_is_private(served):
    assert stat.S_IMODE(served[1].stat().st_mode) == 0o600


@given(st.binary(min_size=1))
@example(b"_\x86\x90\xfa\xc5\xe5\x991\xe5\x07")  # a map with a list as a key
def test_any_bytes_leave_it_serving(served_once, data):
    path = served_once
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(str(path))
        stranger.sendall(data)
        stranger.shutdown(socket.SHUT_WR)
        stranger.settimeout(60)
        try:
            while stranger.recv(4096):
                pass
        except ConnectionResetError:
            pass  # turned away with bytes still unread
    assert size(path) == (120, 40)


@pytest.fixture(scope="module")
def served_once(tmp_path_factory):
    stop = threading.Event()
    path = tmp_path_factory.mktemp("control") / "control"
    server = ControlServer(path, Agent())
    thread = threading.Thread(target=serve, args=(server, stop))
    thread.start()
    yield path
    stop.set()
    thread.join()
    server.abort()


def test_a_request_too_long_is_turned_away(served):
    agent, path, _ = served
    with pytest.raises(OSError, match=r"reset|hung up|[Bb]roken pipe"):
        ask(path, {"do": "send", "data": bytes(MAX_REQUEST + 1)}, timeout=60)
    assert agent.typed == b""
    send(path, b"next")


def test_too_many_clients_are_turned_away_and_others_served(served):
    _, path, server = served
    idle = []
    for _ in range(MAX_CLIENTS):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(path))
        idle.append(connection)
    deadline = time.monotonic() + 60
    while len(server.poll_fds()) <= MAX_CLIENTS:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    with pytest.raises(OSError, match=r"reset|hung up|[Bb]roken pipe"):
        size(path)
    for connection in idle:
        connection.close()
    while len(server.poll_fds()) > 1:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    assert size(path) == (120, 40)


def test_one_that_never_reads_its_replies_holds_up_nobody(served):
    _, path, _ = served
    with socket.socket(socket.AF_UNIX) as greedy:
        greedy.connect(str(path))
        greedy.settimeout(0.2)
        requests = msgpack.packb({"do": "size"}) * 1_000_000  # far more than any buffer holds
        with pytest.raises(OSError, match=r"timed out|reset|[Bb]roken pipe"):
            greedy.sendall(requests)
        assert size(path) == (120, 40)


def test_paths_longer_than_an_address_work(tmp_path):
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)
    stop = threading.Event()
    server = ControlServer(folder / "control", Agent())
    thread = threading.Thread(target=serve, args=(server, stop))
    thread.start()
    try:
        assert size(folder / "control") == (120, 40)
    finally:
        stop.set()
        thread.join()
        server.abort()
    assert not (folder / "control").exists()


def test_a_dead_sessions_socket_is_replaced_and_a_living_ones_is_not(served, tmp_path):
    _, path, _ = served
    with pytest.raises(FileExistsError):
        ControlServer(path, Agent())
    stale = tmp_path / "stale"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(stale))
    ControlServer(stale, Agent()).abort()


def test_no_session_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        size(tmp_path / "none")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead"))
    with pytest.raises(ConnectionRefusedError):
        send(tmp_path / "dead", b"x")


def test_a_wrapped_agent_is_typed_into_from_outside(outer, agent_command, tmp_path, wait_until):
    path = tmp_path / "control"
    outer.start(agent_command("sleeper"), control=str(path))
    outer.read_until(b"ready\n")
    wait_until(path.exists, "the control socket")
    send(path, b"x", timeout=60)
    outer.read_until(b"[x]")
    assert size(path, timeout=60) == (100, 30)
    send(path, b"q", timeout=60)
    assert outer.exit_code() == 0
    assert not path.exists()


def test_no_control_socket_is_noted_and_the_agent_runs(outer, agent_command, tmp_path):
    outer.start(agent_command("bye", 3), control=str(tmp_path / "none" / "control"))
    assert outer.exit_code() == 3
    assert outer.result["notes"] == ["no control socket: [Errno 2] No such file or directory"]
