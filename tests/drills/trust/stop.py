"""Angle: after `stop` nothing of an agent runs, or what does is named.

Agents are trees of launchers: each level waits for its child or sleeps, takes or ignores signals, and
has a process group of its own or its parent's; in a terminal of ours or on pipes.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.factories.homes import throw_away_home
from tests.factories.waiting import until

from dejavu.model import DejavuError
from dejavu.sessions import session_store as sessions
from dejavu.sessions.session_store import process_started
from dejavu.sessions.stop_session import stop

from ..budget import Budget
from . import Tally

ANGLE = "what stop leaves running"
FINDINGS = ("L1",)

# `LEVELS LOG`: each level of the tree says who it is and starts the next.
_LEVEL = """
import json, os, signal, subprocess, sys, time
levels, log = json.loads(sys.argv[1]), sys.argv[2]
me = levels[0]
for number in me["deaf"]:
    signal.signal(number, signal.SIG_IGN)
with open(log, "a") as file:
    file.write(f"{os.getpid()}\\n")
if levels[1:]:
    child = subprocess.Popen([sys.executable, "-c", os.environ["LEVEL"], json.dumps(levels[1:]), log],
                             process_group=0 if levels[1]["group"] else None)
    if me["waits"]:
        child.wait()
        sys.exit()
time.sleep(120)
"""


def attack(budget: Budget, tally: Tally) -> None:
    """One tree after the other, each under a wrapper of its own."""
    chance = budget.random
    with throw_away_home(), tempfile.TemporaryDirectory() as scratch:
        while budget.more():
            levels = [
                {
                    "waits": chance.random() < 0.7,
                    "group": chance.random() < 0.4,
                    "deaf": chance.sample((1, 2, 15), chance.choice((0, 0, 0, 1, 2))),
                }
                for _ in range(chance.randint(1, 4))
            ]
            detach, kill = chance.random() < 0.7, chance.random() < 0.5
            log = Path(scratch) / f"log-{tally.tried}"
            attack_sentence = (
                f"seed {budget.seed}: {'terminal' if detach else 'pipe'}, kill {kill}, {levels}"
            )
            tally.record(_one(levels, log, detach=detach, kill=kill), attack_sentence)


def _one(levels: list[dict[str, object]], log: Path, *, detach: bool, kill: bool) -> bool:
    """Whether everything ended, or what did not was named."""
    name = log.name
    run = [sys.executable, "-m", "dejavu.interfaces.run", "--name", name]
    agent = ["--", sys.executable, "-c", _LEVEL, json.dumps(levels), str(log)]
    options = ["--detach"] if detach else []
    null = subprocess.DEVNULL
    process = subprocess.Popen(
        [*run, *options, *agent], stdin=null, stdout=null, stderr=null,
        env={**os.environ, "LEVEL": _LEVEL},
    )  # fmt: skip
    pids: list[int] = []
    try:
        until(lambda: log.exists() and len(log.read_text().split()) == len(levels), 30)
        pids = [int(pid) for pid in log.read_text().split()]
        until(lambda: sessions.find(name).session.agent_pid, 30)
        time.sleep(0.2)
        told = ""
        try:
            stop(sessions.find(name), timeout=2, kill=kill)
        except DejavuError as error:
            told = str(error)
        left = [pid for pid in pids if process_started(pid) is not None]
        return all(f"(pid {pid})" in told for pid in left) and not (kill and left)
    finally:
        for pid in pids:
            if process_started(pid) is not None:
                os.kill(pid, 9)
        process.wait(30)
