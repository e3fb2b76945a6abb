"""At most one daemon: real processes, real locks."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.factories.waiting import until

from dejavu.services.daemon import instance_lock as single
from dejavu.services.hook_protocol import folder

DAEMON = [sys.executable, "-m", "dejavu.services.daemon"]


@pytest.fixture
def daemon(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([*DAEMON, "--idle", "60"]) as process:
        until((Path(folder()) / "socket").exists)
        yield process
        process.kill()


def test_a_second_one_leaves_at_once(daemon: subprocess.Popen[bytes]) -> None:
    assert single.running() == daemon.pid
    assert single.run() is False
    assert subprocess.run(DAEMON, timeout=30).returncode == 1
    assert daemon.poll() is None


def test_it_leaves_when_told_and_takes_its_socket_with_it(
    daemon: subprocess.Popen[bytes],
) -> None:
    place = Path(folder())
    assert (place / "socket").stat().st_mode & 0o777 == 0o600
    assert (place / "lock").stat().st_mode & 0o777 == 0o600
    assert single.stop()
    assert daemon.wait(timeout=30) == 0
    assert single.running() is None
    assert not (place / "socket").exists()


def test_a_killed_one_leaves_the_place_to_the_next(daemon: subprocess.Popen[bytes]) -> None:
    daemon.kill()
    daemon.wait()
    assert (Path(folder()) / "socket").exists()
    assert single.running() is None
    assert single.run(idle=0.0) is True


def test_one_without_work_goes(home: Path) -> None:
    assert single.run(idle=0.1) is True
    assert single.running() is None


def test_no_folder_is_no_daemon(home: Path) -> None:
    assert single.running() is None
    assert single.stop()
    assert not list(home.iterdir())
