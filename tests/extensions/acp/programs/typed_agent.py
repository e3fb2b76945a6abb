"""An agent with a screen: it answers what is typed, asks before it runs a command, keeps a file.

Draws as the demo agent does; `wait` works until it is interrupted. Its file is one of Claude Code's
form, so that what is said comes from there.
"""

import json
import os
import select
import sys
import time
import tty
import uuid
from pathlib import Path

tty.setraw(0)
RULE = "─" * 80
LABELS = ["Yes", "Yes, and do not ask again", "No, and say what to do instead"]
SESSION = str(uuid.uuid4())
log = Path.home() / ".claude/projects" / "-w" / f"{SESSION}.jsonl"
log.parent.mkdir(parents=True, exist_ok=True)
said = ["● Welcome."]


def draw(*rows: str) -> None:
    os.write(1, b"\x1b[2J\x1b[H" + "\r\n".join(rows).encode())


def keep(role: str, *content: object) -> None:
    row = {
        "type": role, "uuid": str(uuid.uuid4()), "sessionId": SESSION, "cwd": str(Path.cwd()),
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()), "version": "2.1.0",
        "message": {"role": role, "content": list(content), "id": str(uuid.uuid4())},
    }  # fmt: skip
    with log.open("a") as file:
        file.write(json.dumps(row) + "\n")


def works(seconds: float) -> bool:
    """Work for a while; whether it was not interrupted."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        draw(*said, "", "✻ Working… (1s · esc to interrupt)", "", RULE, "❯ ", RULE)
        if select.select([0], [], [], 0.2)[0] and os.read(0, 64) == b"\x1b":
            return False
    return True


def allowed(command: str) -> bool:
    at = 0
    while True:
        rows = [f" {'❯' if n == at else ' '} {n + 1}. {label}" for n, label in enumerate(LABELS)]
        draw(RULE, " Bash command", "", f"   {command}", "", " Do you want to proceed?", *rows,
             "", " Esc to cancel · Tab to amend")  # fmt: skip
        match os.read(0, 64):
            case b"\x1b[B":
                at = min(at + 1, 2)
            case b"\x1b[A":
                at = max(at - 1, 0)
            case b"\r":
                return at < 2
            case b"\x1b":
                return False


typed = ""
while True:
    draw(*said[-12:], "", RULE, f"❯ {typed}", RULE, "  ? for shortcuts")
    data = os.read(0, 65536).decode()
    typed += data.rstrip("\r")
    if not data.endswith("\r"):
        continue
    prompt, typed = typed, ""
    said.append(f"❯ {prompt}")
    keep("user", {"type": "text", "text": prompt})
    if not works(30.0 if prompt == "wait" else 0.6):
        said.append("● It was interrupted.")
        keep("assistant", {"type": "text", "text": "It was interrupted."})
        continue
    if prompt.startswith("run "):
        call = f"toolu_{uuid.uuid4().hex}"
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": prompt[4:]}}
        keep("assistant", {"type": "text", "text": "I run it."}, use)
        outcome = "ran" if allowed(prompt[4:]) else "refused"
        keep("user", {"type": "tool_result", "tool_use_id": call, "content": outcome})
        said.append(f"● It was {outcome}.")
        keep("assistant", {"type": "text", "text": f"It was {outcome}."})
    else:
        said.append(f"● You said {prompt}.")
        keep("assistant", {"type": "text", "text": f"You said {prompt}."})
    if prompt == "end":
        sys.exit(3)
