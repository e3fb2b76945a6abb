"""Drill: kill -9 at random moments of everything that writes, all at work on the same archives.

Into one archive write syncs, a watching sync, wrapped agents with their observers, the daemon that
hooks feed, `gc --compact`, `gc --all` and `reparse`; into another, on a PostgreSQL server if there is one,
syncs of two clients. A round kills one of them, or a wrapper's observer, or both at once. After each kill
all that could be read before is there; in the end a sync has every turn once, in order, and `verify`
finds nothing.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.postgres import Missing, Server

from dejavu.archive import Archive
from dejavu.model import DejavuError, NotFoundError

from .budget import Budget, Outcome
from .test_kill import observer_of
from .test_sync_kill import Agent, check, held, ours

DEJAVU = [sys.executable, "-m", "dejavu.interfaces.cli"]
WRITERS: dict[str, list[str]] = {
    "sync": [*DEJAVU, "sync"],
    "watch": [*DEJAVU, "sync", "--watch"],
    "wrapper": [
        sys.executable, "-m", "dejavu.interfaces.run", "--screen", "--headless", "demo",
        "--speed", "20",
    ],
    "daemon": [sys.executable, "-m", "dejavu.services.daemon"],
    "gc": [*DEJAVU, "gc", "--compact"],
    "pack": [*DEJAVU, "gc", "--all", "--pack-after", "0"],
    "reparse": [*DEJAVU, "reparse"],
    "client": [*DEJAVU, "sync"],
    "watching client": [*DEJAVU, "sync", "--watch"],
}  # fmt: skip
_AT_ONCE = 4
_EVERY = 25  # kills between two looks at every checksum
_LAST_WORD = 120.0  # seconds: what observers of killed wrappers may still do


class Site:
    """A home, its archive, a schema of a server, and what runs there."""

    def __init__(self, home: Path, server: Server | None, budget: Budget) -> None:
        home.mkdir()
        self.home = home
        self.root = home / ".local/share/dejavu/archive"
        self.url = None if server is None else server.url(schema=server.new_schema())
        self.environ = {
            "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }  # fmt: skip
        self.agent = Agent(home, budget.random)
        self.chance = budget.random
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.acknowledged: dict[str, dict[str, int]] = {"folder": {}, "server": {}}

    def start(self) -> None:
        """Let some writers run that do not run now."""
        self.running = {name: one for name, one in self.running.items() if one.poll() is None}
        idle = [n for n in WRITERS if n not in self.running and (self.url or "client" not in n)]
        self.chance.shuffle(idle)
        for name in idle[: max(0, _AT_ONCE - len(self.running))]:
            environ = dict(self.environ)
            if "client" in name and self.url:
                environ |= {"DEJAVU_ARCHIVE": self.url, "DEJAVU_STATE_HOME": str(self.home / name)}
            self.running[name] = subprocess.Popen(
                WRITERS[name], env=environ, cwd=self.home, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def hook(self) -> None:
        """What an agent's hook tells; the sessions have no files."""
        name = f"hooked{self.chance.randrange(4)}"
        payload = {
            "session_id": name, "hook_event_name": "UserPromptSubmit", "cwd": "/work/x",
            "prompt": f"{name} asks {self.chance.random()}",
        }  # fmt: skip
        done = subprocess.run(
            [*DEJAVU, "hook", "capture", "--agent", "claude"], input=json.dumps(payload).encode(),
            env=self.environ, cwd=self.home, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def kill_one(self) -> str:
        """Kill a writer; return which."""
        name = self.chance.choice(sorted(self.running))
        victim = self.running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            observer = observer_of(victim.pid) if name == "wrapper" else None
            if observer is not None and self.chance.random() < 0.7:
                os.kill(observer, signal.SIGKILL)
                if self.chance.random() < 0.6:
                    self.running[name] = victim  # the wrapper goes on without
                    return "observer"
                name = "wrapper and observer"
            victim.kill()
        victim.wait(30)
        return name

    def missing(self) -> str:
        """What was there at the last look and is not now; "" if nothing is."""
        now = {"folder": held(self.root)}
        if self.url is not None:
            now["server"] = _held_by(self.url)
        for place, turns in now.items():
            for conversation, count in self.acknowledged[place].items():
                if turns.get(conversation, 0) < count:
                    return f"{place}: {conversation} had {count} turns, has {turns.get(conversation, 0)}"
        self.acknowledged |= now
        return ""

    def faults(self) -> list[str]:
        """What `verify` says of both archives."""
        found: list[str] = []
        for place in (self.root, self.url):
            with contextlib.suppress(NotFoundError):
                if place is not None:
                    with Archive.open(place, create=False) as archive:
                        found += archive.maintenance.verify().faults
        return found

    def end(self) -> None:
        """Kill what we started, and wait for what that leaves."""
        for one in self.running.values():
            one.kill()
            one.wait(30)
        stop = "from dejavu.services.daemon import instance_lock; instance_lock.stop(30)"
        subprocess.run([sys.executable, "-c", stop], env=self.environ, check=False, timeout=60)
        deadline = time.monotonic() + _LAST_WORD
        while (left := ours(self.home)) and time.monotonic() < deadline:
            time.sleep(0.2)
        for line in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(line.split()[0]), signal.SIGKILL)
        assert not left, f"still running {_LAST_WORD:g} s after the last kill: {left}"


def _held_by(url: str) -> dict[str, int]:
    try:
        with Archive.open(url, create=False) as archive:
            return {s.native_id: s.turn_count for s in archive.scan() if s.agent == "claude"}
    except NotFoundError:
        return {}


def _final(site: Site) -> None:
    for place in [{}] if site.url is None else [{}, {"DEJAVU_ARCHIVE": site.url}]:
        subprocess.run(
            [*DEJAVU, "sync"], env=site.environ | place, stdout=subprocess.DEVNULL, check=True,
            timeout=300, cwd=site.home,
        )  # fmt: skip
    check(site.root, site.agent.said, ignoring="hooked")
    if site.url is not None:
        assert set(_held_by(site.url)) == set(site.agent.said)
        assert _held_by(site.url) == {name: len(said) for name, said in site.agent.said.items()}
    assert site.faults() == []


def drill(budget: Budget) -> Outcome:
    """Kill until the budget is spent."""
    outcome = Outcome("kills", unit="kills")
    server: Server | None = None
    with contextlib.suppress(Missing, ImportError):
        server = Server()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            site = Site(Path(scratch) / "home", server, budget)
            _kill(outcome, budget, site)
    finally:
        if server is not None:
            server.stop()
    if server is None:
        outcome.counts["no PostgreSQL here"] = 1
    return outcome


def _kill(outcome: Outcome, budget: Budget, site: Site) -> None:
    try:
        while budget.more():
            site.start()
            site.agent.write()
            if site.chance.random() < 0.2:
                site.hook()
            time.sleep(site.chance.uniform(0.0, 0.8))
            killed = site.kill_one()
            outcome.rounds += 1
            outcome.counts[killed] = outcome.counts.get(killed, 0) + 1
            what = f"kill {outcome.rounds}, of {killed}"
            if lost := site.missing():
                outcome.fail(f"{what}: {lost}")
            if outcome.rounds % _EVERY == 0 and (faults := site.faults()):
                outcome.fail(f"{what}: verify: {faults[:3]}")
    finally:
        site.end()
    _said(outcome, lambda: _final(site))


def _said(outcome: Outcome, work: Callable[[], None]) -> None:
    try:
        work()
    except (AssertionError, DejavuError, subprocess.SubprocessError) as error:
        outcome.fail(f"in the end: {str(error)[:500]}")
