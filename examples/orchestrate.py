"""Drive a fleet of agents with `dejavu wait`, `send` and `status`, and nothing else.

    dejavu-run --headless --size 120x40 --name api -- claude &     (one for each name)
    python examples/orchestrate.py api="Fix the failing test" web="Update the changelog"

Hands each agent its prompt once it is ready, takes what a dialog offers first, and ends when all
have answered. So start agents with the permissions you mean, in folders they trust already (some
offer "No, exit" first when they ask about a new one).
"""

import json
import subprocess
import sys

PROGRAM = [sys.executable, "-m", "dejavu.interfaces.cli"]  # `dejavu`, of this Python


def dejavu(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *words], stdout=subprocess.PIPE, text=True)


prompts = dict(word.split("=", 1) for word in sys.argv[1:])
left = set(prompts)
while left:
    states = "blocked,idle,error,exited"
    told = dejavu("wait", *left, "--for", states, "--any", "--appear", "60", "--json").stdout
    rows = json.loads(told) if len(left) > 1 else [json.loads(told)]
    for row in (row for row in rows if row["reached"]):
        name, state = row["name"], row["state"]
        if state == "blocked":
            dejavu("send", "--force", name, "")
        elif state in ("idle", "done") and name in prompts:
            if dejavu("send", name, prompts[name]).returncode == 0:
                del prompts[name]
        else:
            left.remove(name)
            print(f"{name}: {state}", flush=True)
print(dejavu("status", "--summary").stdout, end="")
