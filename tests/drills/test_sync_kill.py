"""kill -9 of sync, watch and wrapper while all of them write into one archive.

Afterwards nothing that was acknowledged is lost, no conversation is doubled, and the archive is
whole; a last sync has every turn exactly once. A few rounds; `kills.py` goes on, with every writer.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import NotFoundError

SYNC = [sys.executable, "-m", "dejavu.interfaces.cli", "sync"]
WRAPPER = [
    sys.executable, "-m", "dejavu.interfaces.run", "--screen", "--headless",
    "demo", "--speed", "20",
]  # fmt: skip
COMMANDS = (SYNC, [*SYNC, "--watch"], WRAPPER)
LAST_WORD = 120.0
"""Seconds: what observers of wrappers that were killed may still index, on a slow machine."""


class Agent:
    """Writes Claude Code sessions, each turn told apart by its words."""

    def __init__(self, home: Path, chance: random.Random) -> None:
        self._folder = home / ".claude" / "projects" / "-work-x"
        self._folder.mkdir(parents=True)
        self._chance = chance
        self.said: dict[str, list[str]] = {}

    def write(self) -> None:
        """Append a few turns to one of some sessions, old or new."""
        name = f"s{self._chance.randrange(8)}"
        said = self.said.setdefault(name, [])
        with (self._folder / f"{name}.jsonl").open("a") as file:
            for _ in range(self._chance.randrange(1, 60)):
                words = f"{name} says {len(said)} " + "la " * self._chance.randrange(400)
                record = {
                    "type": "user", "uuid": f"{name}-{len(said)}", "sessionId": name,
                    "cwd": "/work/x", "timestamp": "2026-11-21T10:00:00.000Z",
                    "message": {"role": "user", "content": words},
                }  # fmt: skip
                file.write(json.dumps(record) + "\n")
                said.append(words)


def held(root: Path) -> dict[str, int]:
    """Native id -> turns of the agent's conversations: what is here was acknowledged."""
    try:
        with Archive.open(root, create=False, readonly=True) as archive:
            heads = [summary for summary in archive.scan() if summary.agent == "claude"]
    except NotFoundError:
        return {}
    names = [summary.native_id for summary in heads]
    assert len(names) == len(set(names)), "a conversation was doubled"
    return {summary.native_id: summary.turn_count for summary in heads}


def check(root: Path, said: dict[str, list[str]], *, ignoring: str = "\0") -> None:
    """Every turn is there once, in order, with its words; the archive is whole.

    ignoring: how the names of sessions begin that have no files.
    """
    with Archive.open(root) as archive:
        assert archive.maintenance.verify().clean
        found = {
            summary.native_id: [turn.text for turn in archive.turns(summary.id)]
            for summary in archive.scan()
            if summary.agent == "claude" and not summary.native_id.startswith(ignoring)
        }
    assert found.keys() == said.keys()
    for name, words in said.items():
        assert [text.strip() for text in found[name]] == [text.strip() for text in words], name


def ours(home: Path) -> list[str]:
    """The command lines of all that still runs in this home."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if f"HOME={home}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    if line and int(entry.name) != os.getpid():
                        found.append(f"{entry.name} {line}")
    return found


def wait_until_alone(home: Path) -> None:
    """Observers outlive their wrappers only until they have had their last word."""
    end = time.monotonic() + LAST_WORD
    while (left := ours(home)) and time.monotonic() < end:
        time.sleep(0.2)
    assert not left, f"still running {LAST_WORD:g} s after the last kill: {left}"


def drill(home: Path, kills: int, chance: random.Random) -> None:
    root = home / ".local/share/dejavu/archive"
    agent = Agent(home, chance)
    running: list[subprocess.Popen[bytes]] = []
    before: dict[str, int] = {}
    try:
        for number in range(kills):
            while len(running) < len(COMMANDS):
                busy = {tuple(one.args) for one in running}  # type: ignore[arg-type]
                command = next(c for c in COMMANDS if tuple(c) not in busy)
                running.append(
                    subprocess.Popen(
                        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL, start_new_session=True, cwd=home,
                    )
                )  # fmt: skip
            agent.write()
            time.sleep(chance.uniform(0.0, 0.7))
            victim = running.pop(chance.randrange(len(running)))
            victim.send_signal(signal.SIGKILL)
            victim.wait(30)
            running = [one for one in running if one.poll() is None]
            after = held(root)
            assert all(after.get(name, 0) >= count for name, count in before.items())
            before = after
            if number % 20 == 19 and root.exists():
                with Archive.open(root) as archive:
                    assert archive.maintenance.verify().clean
    finally:
        for one in running:
            one.kill()
            one.wait(30)
    wait_until_alone(home)
    subprocess.run(SYNC, stdout=subprocess.DEVNULL, check=True, timeout=120)
    check(root, agent.said)


def test_killed_a_few_times(home: Path) -> None:
    drill(home, 12, random.Random("sync"))
