"""The film at the head of the README: a shell in a terminal, and `dejavu` typed into it.

A real bash runs the real program in a home of its own, which holds a session of Claude Code as that
program writes it (invented words). What the terminal got becomes an asciicast, and `dejavu replay
--svg` draws it. Typing and pauses are set here, so that the film lasts as long on any machine.
"""

import json
import os
import pty
import select
import shlex
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

COLUMNS, LINES = 92, 26
_PROMPT = b"\x1b]133;A\x07"
_KEY, _ANSWER, _READ = 0.05, 0.4, 2.6  # seconds: a key, until the answer, to read it
_PATIENCE = 60.0
SCENES = (
    ("# everything your agents have kept so far", 0.3),
    ("dejavu sync", _READ),
    ("# one word is misspelt, and it is found all the same", 0.3),
    ("dejavu search 'retry bugdet'", _READ + 1),
    ("clear", 0.1),
    ("# read it, then go on where it ended", 0.3),
    ("dejavu show last --no-pager", _READ + 2),
    ("dejavu show last --resume", _READ + 1),
)
_SAID = (
    ("user", "The third retry is refused in CI, but not on my machine. Why?"),
    ("assistant", "The **retry budget** counts the first try. I'll let that one pass for free."),
    ("user", "Yes, and say so in the changelog."),
    ("assistant", "Done, with a test: *The first try no longer spends a retry.* All twelve pass."),
)  # fmt: skip


def claude_session(home: Path) -> None:
    """A session as Claude Code keeps it, of yesterday."""
    workspace = home / "upload"
    workspace.mkdir()
    session = "5d1f0c52-7b7e-4c57-9a54-2f6a3f1f7c10"
    folder = home / ".claude" / "projects" / str(workspace).replace("/", "-")
    folder.mkdir(parents=True)
    at, parent, lines = datetime.now(UTC) - timedelta(days=1), None, list[str]()
    for number, (role, text) in enumerate(_SAID):
        at += timedelta(seconds=9)
        message: dict[str, object] = {"role": role, "content": text}
        if role == "assistant":
            usage = {"input_tokens": 14_210, "output_tokens": 388}
            message |= {"id": f"msg_{number}", "type": "message", "model": "claude-opus-5",
                        "content": [{"type": "text", "text": text}], "usage": usage}  # fmt: skip
        entry = {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "type": role,
            "cwd": str(workspace), "sessionId": session, "version": "2.1.330",
            "message": message, "uuid": f"00000000-0000-4000-8000-{number:012d}",
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }  # fmt: skip
        parent = entry["uuid"]
        lines.append(json.dumps(entry))
    (folder / f"{session}.jsonl").write_text("\n".join(lines) + "\n")


def _until_prompt(terminal: int) -> bytes:
    got, until = b"", time.monotonic() + _PATIENCE
    while not (got.count(_PROMPT) and got.endswith(b"$ ")):
        if not select.select([terminal], [], [], until - time.monotonic())[0]:
            raise TimeoutError(f"no prompt came: {got[-300:]!r}")
        got += os.read(terminal, 65536)
    return got


def record(home: Path, cast: Path) -> None:
    """Play the scenes in `home` and write what the terminal got as asciicast v2.

    Raises:
        TimeoutError: a command did not end.
    """
    env = {
        "HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "TZ": "UTC",
        "PS1": r"\[\e]133;A\a\]$ ", "COLUMNS": str(COLUMNS), "LINES": str(LINES),
    }  # fmt: skip
    setup = f"stty cols {COLUMNS} rows {LINES}; cd {shlex.quote(str(home))}; exec bash --norc --noprofile -i"
    pid, terminal = pty.fork()
    if not pid:
        os.execve("/bin/sh", ["sh", "-c", setup], env)  # noqa: S606 - a shell is what is filmed
    at, events = 0.5, [(0.1, _until_prompt(terminal))]
    for words, pause in SCENES:
        for key in words.encode():
            at += _KEY
            os.write(terminal, bytes([key]))
            events.append((at, os.read(terminal, 4096)))
        os.write(terminal, b"\r")
        at += _ANSWER
        # The prompt comes with the answer: what is read, is read above it.
        events.append((at, _until_prompt(terminal)))
        at += pause
    events.append((at + 2, b"\x1b[?25h"))
    os.write(terminal, b"\x04")
    os.waitpid(pid, 0)
    os.close(terminal)
    head = {
        "version": 2,
        "width": COLUMNS,
        "height": LINES,
        "title": "Déjà Vu: sync, search, resume",
    }
    lines = [json.dumps(head, ensure_ascii=False)]
    for moment, data in events:
        text = data.decode("utf-8", "replace").replace(str(home), "~")
        lines.append(json.dumps([round(moment, 3), "o", text], ensure_ascii=False))
    cast.write_text("\n".join(lines) + "\n", "utf-8")


def film(scratch: Path, out: Path) -> None:
    """Make the film `out` in a folder that is thrown away."""
    home, cast = scratch / "user", scratch / "film.cast"
    home.mkdir()
    claude_session(home)
    record(home, cast)
    command = [sys.executable, "-m", "dejavu.interfaces.cli", "replay", str(cast)]
    subprocess.run([*command, "--svg", str(out), "--idle", "6"], check=True)
