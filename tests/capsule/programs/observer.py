# ruff: noqa: PTH104, PTH110, PTH123, T201
# Started hundreds of times: pathlib is not worth its import here.
"""An observer for tests: keeps what it is told, reports it, does what its arguments ask.

observer.py FOLDER [slow] [dead-after N] [mute | mute-once] [noisy]
"""

import hashlib
import json
import os
import sys
import time

from dejavu.capsule import REPORT_FD, read_events

folder, *wishes = sys.argv[1:]
with open(f"{folder}/observer.pid", "w") as file:
    file.write(str(os.getpid()))
seen = {"bytes": 0, "lost": 0, "kinds": [], "sid": os.getsid(0) == os.getpid()}
digest = hashlib.sha256()
if "noisy" in wishes:
    print("never on the terminal", flush=True)
    print("never on the terminal", file=sys.stderr, flush=True)
while "slow" in wishes and not os.path.exists(f"{folder}/go"):
    time.sleep(0.01)
for event in read_events(0):
    if not seen["kinds"] or seen["kinds"][-1] != event.kind:
        seen["kinds"].append(event.kind)
    if event.kind == "h":
        seen["header"] = dict(event.fields)
    if event.kind == "o":
        seen["bytes"] += len(event.data)
        digest.update(event.data)
    if event.kind == "k":
        seen["keys"] = (seen.get("keys", "") + event.data.decode())[-100:]
        seen["typed"] = seen.get("typed", 0) + len(event.data)
    if event.kind == "g":
        seen["lost"] += event.lost
    if event.kind == "x":
        seen["status"] = event.status
    if "mortal" in wishes and seen["bytes"]:
        os._exit(1)
seen["hash"] = digest.hexdigest()
seen["header"].pop("argv", None)
if "mute-once" in wishes and not os.path.exists(f"{folder}/observed.json"):
    wishes.append("mute")
with open(f"{folder}/observed.json.new", "w") as file:
    json.dump(seen, file)
os.rename(f"{folder}/observed.json.new", f"{folder}/observed.json")
if "mute" in wishes:
    time.sleep(3600)
os.write(REPORT_FD, json.dumps(seen).encode())
