"""The observer server: forked from the first observer, for later ones, and no loss when it dies."""

import os
import random
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.sessions.observer.forked import (
    end,
    expected,
    prompts,
    server_pid,
    start,
    start_forked,
    wait_for_server,
)

from dejavu.capsule import Exit, ObserverProcess
from dejavu.sessions import observer_address

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="observer servers are Linux's")


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
    ObserverServer(path, listener, b"me", lambda: False, None).run()
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


def test_a_folder_in_which_the_interpreter_wrote_is_no_update(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    os.utime(Path(observer_address.__file__).parent)  # as by a new `__pycache__`
    session, pid = start_forked(server, "second", 0.5)
    end(session)
    assert pid != server


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
