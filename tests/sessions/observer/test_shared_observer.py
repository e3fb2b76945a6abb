"""One observer for several sessions: what they share, what not, and what one does to the others."""

import json
import os
import random
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.factories.waiting import until
from tests.sessions.observer.forked import (
    end,
    expected,
    observer_of,
    parent_of,
    prompts,
    server_pid,
    start,
    start_forked,
    wait_for_server,
)

from dejavu.capsule import Header, ObserverProcess, Output
from dejavu.sessions import session_store
from dejavu.sessions.observer.forked_observer import Request
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.observer_address import address, may_share, observer_log

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="observer servers are Linux's")
OBSERVER = [sys.executable, "-m", "dejavu.sessions.observer"]


def observer() -> ObserverProcess:
    """An observer as wrappers ask for one."""
    return ObserverProcess(OBSERVER, server=address, log=observer_log())


def session_of(name: str, **more: object) -> ObserverProcess:
    """A session played by this process, once its header was told."""
    header = session_store.SessionHeader(
        id=session_store.new_session_id(time.time()), agent="demo", argv=["demo"],
        workspace="/work/x", instance="", name=name, wrapper_pid=os.getpid(),
        wrapper_started=session_store.process_started(os.getpid()) or 0,
        started_at=time.time(), screen=True,
    )  # fmt: skip
    folder = session_store.create(header)
    its = observer()
    mine = {"mode": "headless", "pid": os.getpid(), "columns": 80, "lines": 24}
    its.event(Header({**header._asdict(), "folder": str(folder), **mine, **more}))
    answered(its)
    return its


def answered(its: ObserverProcess) -> None:
    """Let the server answer."""
    while its.deadline is not None:
        pump(its)


def pump(its: ObserverProcess) -> None:
    """What a session's loop does."""
    poll = select.poll()
    for fd, events in its.poll_fds():
        poll.register(fd, events)
    for fd, _ in poll.poll(5):
        its.ready(fd)


def test_sessions_of_one_kind_share_an_observer(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    one, shared = start_forked(server, "one")
    two, its = start_forked(server, "two", TERM="vt100")
    other, alone = start_forked(server, "other", TZ="Asia/Tokyo")
    assert its == shared
    assert alone != shared
    for name, session in (("one", one), ("two", two), ("other", other)):
        assert end(session) == expected(name)
    until(lambda: not Path(f"/proc/{shared}").exists())
    assert prompts(warm / ".local/share/dejavu/archive") == ["first?", "one?", "other?", "two?"]


def test_each_has_its_own_environment_and_folder(
    warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    told.mkdir()
    settings = warm / ".config/dejavu"
    settings.mkdir(parents=True)
    command = f'echo "$MINE $ONLY $PWD" >> {told}/"${{MINE:-none}}"'
    (settings / "config.toml").write_text(f"[hooks]\non_change = {json.dumps(command)}\n")
    end(start("first"))
    server = wait_for_server()
    sessions = []
    for name, only in (("one", {"ONLY": "x"}), ("two", {})):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        sessions.append(start_forked(server, name, MINE=name, **only))
    assert sessions[0][1] == sessions[1][1]
    for session, _ in sessions:
        end(session)
    until(lambda: {"one", "two"} <= {path.name for path in told.iterdir()})
    assert set((told / "one").read_text().splitlines()) == {f"one x {tmp_path / 'one'}"}
    assert set((told / "two").read_text().splitlines()) == {f"two  {tmp_path / 'two'}"}


def test_each_has_its_own_secrets(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    names = ("kelp-lantern-19", "moss-anvil-83")
    started = [start_forked(server, name, API_KEY=name) for name in names]
    assert started[0][1] == started[1][1]
    for session, _ in started:
        end(session)
    root = warm / ".local/share/dejavu/archive"
    until(lambda: len(prompts(root)) == 3)
    assert not [text for text in prompts(root) if any(name in text for name in names)]


def test_killed_it_is_followed_by_one_for_each(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    one, shared = start_forked(server, "one", 4.0)
    two, its = start_forked(server, "two", 4.0)
    assert its == shared
    os.kill(shared, signal.SIGKILL)
    mine, yours = observer_of("one", but=shared), observer_of("two", but=shared)
    assert mine != yours
    assert end(one) == expected("one")
    assert end(two) == expected("two")
    root = warm / ".local/share/dejavu/archive"
    until(lambda: {"one?", "two?"} <= set(prompts(root)))


def test_a_session_that_cannot_be_observed_ends_no_others(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    one, shared = start_forked(server, "one", 4.0)
    broken = observer()
    broken.event(Header({"id": "no more than that"}))
    answered(broken)
    assert not broken.pid  # it was the shared one that took it

    def fails() -> bool:
        try:
            pump(broken)
        except BrokenPipeError:
            return True
        return False

    until(fails)
    broken.abort()
    assert observer_of("one") == shared
    assert end(one) == expected("one")


def test_one_that_takes_much_gets_its_own_process(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    calm, shared = start_forked(server, "calm", 30.0)
    flood = session_of("flood")
    assert observer_of("flood") == shared
    row = b"".join(b"\x1b[38;5;%dmword %d " % (n % 256, n) for n in range(200)) + b"\r\n"
    until(lambda: _flooded(flood, row, shared))
    its = observer_of("flood", but=shared)
    assert parent_of(its) == shared
    assert observer_of("calm") == shared
    view = session_store.find("flood")
    assert view.observed
    assert look(view.folder, 60)["agent"] == "demo"
    assert look(session_store.find("calm").folder, 60)["agent"] == "demo"
    flood.event(
        Output(time.time(), b"\x1b[2J\x1b[H\xe2\x9d\xaf end?\r\n\r\n\xe2\x97\x8f Ended.\r\n")
    )
    flood.close()
    until(lambda: pump(flood) or flood.done)
    assert json.loads(flood.report)["kept"]
    assert not (view.folder / "screen").exists()
    calm.terminate()
    calm.communicate(timeout=60)


def _flooded(flood: ObserverProcess, row: bytes, shared: int) -> bool:
    """Keep it at work, and no more; whether that is another process by now."""
    while not flood.is_behind():
        flood.event(Output(time.time(), row))
    pump(flood)
    return observer_of("flood") != shared


def test_one_that_was_observed_before_shares_none(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    calm, shared = start_forked(server, "calm")
    again = session_of("again", resumed=1)
    assert observer_of("again") != shared
    again.close()
    until(lambda: pump(again) or again.done)
    assert observer_of("calm") == shared
    end(calm)


def test_whose_server_is_followed_shares_none() -> None:
    assert may_share(["opencode"])
    assert not may_share(["opencode", "--port", "4096"])
    assert not may_share(["opencode", "--port=4096"])


def test_a_kind_is_what_a_process_may_remember() -> None:
    def kind(*pairs: bytes, umask: bytes = b"18") -> bytes:
        return Request.parse(b"\0".join((b"me", umask, b"/log", b"shared", *pairs))).kind

    assert kind(b"HOME=/a", b"TERM=x", b"API_KEY=1") == kind(b"TERM=y", b"HOME=/a")
    for pair in (b"HOME=/b", b"TZ=UTC", b"XDG_DATA_HOME=/d", b"DEJAVU_ARCHIVE=/x", b"TMPDIR=/t"):
        assert kind(b"HOME=/a", pair) != kind(b"HOME=/a")
    assert kind(umask=b"63") != kind()


def drill(home: Path, rounds: int, chance: random.Random) -> None:
    """Kill what observes two sessions at a random moment: output and archive are whole."""
    names: list[str] = []
    end(start("first"))
    wait_for_server()
    for number in range(rounds):
        pair = [f"a{number}", f"b{number}"]
        names += [f"{name}?" for name in pair]
        sessions = [start(name, chance.uniform(0.1, 0.6)) for name in pair]
        time.sleep(chance.uniform(0, 1.2))
        with suppress(OSError, AssertionError):
            victim = observer_of(chance.choice(pair))
            os.kill(victim, signal.SIGKILL)
        for name, session in zip(pair, sessions, strict=True):
            assert end(session) == expected(name)
    root = home / ".local/share/dejavu/archive"
    until(lambda: set(names) <= set(prompts(root)))


def test_killed_a_few_times(warm: Path) -> None:
    drill(warm, 3, random.Random("few"))


@pytest.mark.soak
def test_killed_fifty_times(warm: Path) -> None:
    drill(warm, 50, random.Random("fifty"))


def test_it_survives_its_server(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    one, shared = start_forked(server, "one")
    os.kill(server, signal.SIGKILL)
    until(lambda: server_pid() is None)
    two = start("two", 0.2)
    assert end(two) == expected("two")
    assert end(one) == expected("one")
    until(lambda: not Path(f"/proc/{shared}").exists())
    assert {"one?", "two?"} <= set(prompts(warm / ".local/share/dejavu/archive"))


def test_its_processes_are_ended_by_no_signal_to_the_session(warm: Path) -> None:
    end(start("first"))
    server = wait_for_server()
    one, shared = start_forked(server, "one")
    assert os.getsid(shared) == shared
    os.kill(shared, signal.SIGTERM)
    assert end(one) == expected("one")
    assert "one?" in prompts(warm / ".local/share/dejavu/archive")
