"""Start agents in the background, prompt them, answer what they ask, read what they say, stop them.

    python examples/orchestrate.py "Fix the failing test" api=claude web="codex --search"

Takes the first choice of every dialog (mostly Yes), so start agents with the permissions you mean, in
folders that they may change. One that works longer than $LIMIT seconds (600) is interrupted.
"""

import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

PROGRAM = [sys.executable, "-m", "dejavu.interfaces.cli"]  # `dejavu`, of this Python
LIMIT = os.environ.get("LIMIT", "600")


def dejavu(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *words], stdout=subprocess.PIPE, text=True)


def drive(prompt: str, name: str, command: str) -> str:
    dejavu("run", "--detach", "--name", name, "--size", "120x40", "--", *shlex.split(command))
    sent, ended = False, ""
    while True:
        waited = dejavu("wait", name, "--for", "idle,blocked,error", "--timeout", LIMIT, "--json")
        state = json.loads(waited.stdout)["state"] if waited.stdout else "exited"
        if waited.returncode == 124:
            ended = " (interrupted)" if dejavu("interrupt", name).returncode == 0 else ""
        elif state == "blocked":
            if dejavu("answer", name, "1").returncode:  # its choices could not be read
                break
        elif state in ("idle", "done") and not sent:
            sent = True
            if dejavu("send", "--wait", "--timeout", "60", name, prompt).returncode:
                break  # not accepted: stderr says how far it came
        else:
            break
    time.sleep(2)  # for its own log to be read
    words = json.loads(dejavu("status", name, "--json").stdout or "{}").get("last_words")
    dejavu("stop", name, "--kill")
    return f"{name}: {state}{ended}: {words}"


with ThreadPoolExecutor() as pool:
    fleet = [word.split("=", 1) for word in sys.argv[2:]]
    for line in pool.map(lambda agent: drive(sys.argv[1], *agent), fleet):
        print(line)
