"""The observer server: forked from the first observer, for later ones, and no loss when it dies."""

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.capsule import Exit, ObserverProcess
from dejavu.sessions import observer_address

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="observer servers are Linux's")

Session = subprocess.Popen[bytes]
LINES = 30
AGENT = """
import sys, time
name, pause = sys.argv[1], float(sys.argv[2])
box = chr(0x2500) * 60 + "\\r\\n\\u276f \\r\\n" + chr(0x2500) * 60 + "\\r\\n  ? for shortcuts"
sys.stdout.write(f"\\u276f {name}?\\r\\n\\r\\n\\u25cf Because of {name}.\\r\\n\\r\\n")
for number in range(30):
    sys.stdout.write(f"  line {number}\\r\\n"); sys.stdout.flush(); time.sleep(pause / 30)
sys.stdout.write("\\r\\n" + box); sys.stdout.flush()
"""


def expected(name: str) -> bytes:
    """What the agent writes, through a terminal that adds nothing."""
    box = "─" * 60 + "\r\n❯ \r\n" + "─" * 60 + "\r\n  ? for shortcuts"
    lines = "".join(f"  line {number}\r\n" for number in range(LINES))
    text = f"❯ {name}?\r\n\r\n● Because of {name}.\r\n\r\n{lines}\r\n{box}"
    return text.replace("\n", "\r\n").replace("\r\r", "\r\r").encode()


@pytest.fixture
def warm(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home in which servers are allowed; none stays behind."""
    monkeypatch.delenv("DEJAVU_WARM_OBSERVER")
    yield home
    if (pid := server_pid()) is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def server_pid() -> int | None:
    """The server of this home and kind, if one ever ran."""
    path, _ = observer_address.address()
    with suppress(OSError, ValueError):
        pid = int(Path(f"{path}.lock").read_text())
        return pid if (Path(f"/proc/{pid}/comm").read_text() == "dejavu-observer\n") else None
    return None


def wait_for_server() -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        pid = server_pid()
        if pid is not None and Path(observer_address.address()[0]).exists():
            return pid
        time.sleep(0.05)
    raise AssertionError("no server came")


def start(name: str, pause: float = 0.0, **environment: str) -> Session:
    return subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--screen", "--agent", "demo",
         "--", sys.executable, "-c", AGENT, name, str(pause)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )  # fmt: skip


def end(process: Session) -> bytes:
    output, _ = process.communicate(timeout=90)
    assert process.returncode == 0
    return output


def prompts(root: Path) -> list[str]:
    """The first prompt of every conversation in the archive."""
    if not (root / "archive.json").exists():
        return []
    with Archive.open(root, create=False, readonly=True) as archive:
        return sorted(next(iter(archive.turns(summary.id))).text for summary in archive.scan())


def begun(server: int) -> set[int]:
    """The forked observers that have taken over what they were sent."""
    found: set[int] = set()
    for pid in Path(f"/proc/{server}/task/{server}/children").read_text().split():
        with suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text() != "dejavu-observer\n":
                found.add(int(pid))
    return found


def start_forked(server: int, name: str, **environment: str) -> tuple[Session, int]:
    """A session that runs for some seconds, and its forked observer.

    On a busy machine the server may be too late for the first.
    """
    for _ in range(10):
        before = begun(server)
        session = start(name, 3.0, **environment)
        deadline = time.monotonic() + 2.5
        while time.monotonic() < deadline:
            if new := begun(server) - before:
                return session, new.pop()
            time.sleep(0.02)
        end(session)
    raise AssertionError("the server forks no observer")


def test_later_observers_are_forked_and_keep_their_own_environment(
    warm: Path, tmp_path: Path
) -> None:
    end(start("first"))
    server = wait_for_server()
    assert b"HOME" not in Path(f"/proc/{server}/environ").read_bytes()
    other = tmp_path / "other"
    second, one = start_forked(server, "second")
    third, two = start_forked(server, "third", DEJAVU_DATA_HOME=str(other))
    for pid in (one, two):
        assert os.getsid(pid) == pid
        assert b"sessions.observer" in Path(f"/proc/{pid}/cmdline").read_bytes()
        names = {Path(f"/proc/{pid}/fd/{fd}").readlink().name for fd in (1, 2)}
        assert names == {"observer.log"}
    assert end(second) == expected("second")
    assert end(third) == expected("third")
    assert set(prompts(warm / ".local/share/dejavu/archive")) == {"first?", "second?"}
    assert set(prompts(other / "archive")) == {"third?"}
    assert (other / "archive").stat().st_mode & 0o77 == 0
    assert server_pid() == server


def test_an_observer_that_is_killed_ends_nobody_elses_capture(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    one, victim = start_forked(server, "one")
    two = start("two", 1.0)
    os.kill(victim, signal.SIGKILL)
    assert end(one) == expected("one")
    assert end(two) == expected("two")
    assert "two?" in prompts(warm / ".local/share/dejavu/archive")


@pytest.mark.parametrize("way", ["environment", "config", "limits"])
def test_it_can_be_turned_off(warm: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way == "environment":
        monkeypatch.setenv("DEJAVU_WARM_OBSERVER", "off")
    elif way == "config":
        folder = warm / ".config/dejavu"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text("[capture]\nwarm_observer = false\n")
    limit = ["bash", "-c", 'ulimit -f 1000000; exec "$@"', "-"] if way == "limits" else []
    command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--", "true"]
    subprocess.run([*limit, *command], check=True, stdin=subprocess.DEVNULL)
    monkeypatch.delenv("DEJAVU_WARM_OBSERVER", raising=False)
    assert server_pid() is None


REPLACED = """
import sys
from pathlib import Path
from dejavu.capsule.unix_socket import listen
from dejavu.sessions.observer.server import ObserverServer
path = Path(sys.argv[1])
with listen(path) as listener:
    print("listens", flush=True)
    ObserverServer(path, listener, b"me", lambda: False, lambda: print("observes")).run()
"""


def test_a_server_whose_files_were_replaced_refuses_and_ends(tmp_path: Path) -> None:
    path = tmp_path / "server"
    server = subprocess.Popen([sys.executable, "-c", REPLACED, str(path)], stdout=subprocess.PIPE)
    assert server.stdout is not None
    assert server.stdout.readline() == b"listens\n"
    program = "import os, sys; sys.stdin.read(); os.write(3, b'own')"
    observer = ObserverProcess([sys.executable, "-c", program], server=lambda: (str(path), b"me"))
    observer.event(Exit(1.0, 0))
    select.select([fd for fd, _ in observer.poll_fds()], [], [], 30)
    for fd, _ in observer.poll_fds():
        observer.ready(fd)
    assert observer.pid  # a program of its own
    observer.close()
    observer.abort()
    assert server.communicate(timeout=30)[0] == b""
    assert not path.exists()


def test_it_ends_with_its_folder(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    Path(observer_address.address()[0]).unlink()
    deadline = time.monotonic() + 30
    while Path(f"/proc/{server}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{server}").exists()


def drill(home: Path, rounds: int, chance: random.Random) -> None:
    """Kill the server at a random moment of each session: output and archive are whole."""
    names: list[str] = []
    for number in range(rounds):
        name = f"r{number}"
        names.append(f"{name}?")
        session = start(name, chance.uniform(0, 0.4))
        time.sleep(chance.choice((0.0, 0.02, chance.uniform(0, 0.6))))
        server = server_pid()
        if server is not None:
            with suppress(ProcessLookupError):
                os.kill(server, signal.SIGKILL)
        assert end(session) == expected(name)
    deadline = time.monotonic() + 30
    root = home / ".local/share/dejavu/archive"
    while prompts(root) != sorted(names) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert prompts(root) == sorted(names)


def test_killed_a_few_times(warm: Path) -> None:
    drill(warm, 4, random.Random("few"))


@pytest.mark.soak
def test_killed_fifty_times(warm: Path) -> None:
    drill(warm, 50, random.Random("fifty"))
