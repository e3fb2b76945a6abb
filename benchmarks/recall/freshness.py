"""How soon a session that ended is in the next prompt's block, while vectors are being made.

    python -m benchmarks.recall.freshness                          200 sessions, 100,000 exchanges waiting
    python -m benchmarks.recall.freshness --backlog 3000 --sessions 20

Sessions end at random moments while the daemon works through a backlog; the next prompt asks the
daemon, as an agent's hook does, until the block quotes the session. Prints JSON: seconds from the end
of the session to that block, the longest a prompt waited for its answer, how many conversations
waited for vectors at both ends, and the daemon's memory. Without the `semantic` extra the backlog
is one of words alone. Uses a throw-away home.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.recall.size import memory

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, Turn, conversation_id
from dejavu.recall import Recall

_EACH = 20  # exchanges of a session in the backlog
_LIMIT = 10.0  # seconds after which a session is given up
_STONES = ("amber", "basalt", "cobalt", "ebony", "flint", "garnet", "indigo", "jasper", "onyx")
_TASKS = ("survey", "harvest", "ledger", "rota", "census", "inventory", "roster")
_FOLDER = "/work/quarry"


def put(archive: Archive, name: str, said: list[tuple[str, str]], at: float) -> None:
    """Store a session of (prompt, answer) pairs that ended now."""
    turns = tuple(
        Turn(role=role, parts=(Text(text),), at=at)
        for pair in said
        for role, text in zip((Role.USER, Role.ASSISTANT), pair, strict=True)
    )
    archive.put(
        Conversation(
            id=conversation_id("claude", "local", name), agent="claude", native_id=name,
            workspace=_FOLDER,
        ).with_turns(turns)
    )  # fmt: skip


def fill(archive: Archive, exchanges: int) -> None:
    """Store the backlog, its conversations a minute apart."""
    chance = random.Random(1)
    for number in range(0, exchanges, _EACH):
        said: list[tuple[str, str]] = []
        for row in range(number, min(exchanges, number + _EACH)):
            task, stone = chance.choice(_TASKS), chance.choice(_STONES)
            told = f"Step {row} of the {task} is done; the sheet for row {row} is filed under {stone}. "
            said.append((f"File the {task} sheet for row {row}.", told * chance.randint(1, 4)))
        put(archive, f"old-{number}", said, time.time() - 86_400 + number)


def ended(archive: Archive, count: int, ask: Any) -> Iterator[tuple[float, float]]:
    """End sessions at random moments; yield the seconds to the block, and of the slowest answer."""
    chance = random.Random(36)
    for number in range(count):
        time.sleep(chance.random() * 0.6)
        stone = f"{chance.choice(_STONES)}{number}"
        put(
            archive, f"new-{number}",
            [(f"Where is the {stone} kiln?", f"The {stone} kiln is in hall {number} of the works.")],
            time.time(),
        )  # fmt: skip
        began, slowest, found = time.monotonic(), 0.0, False
        while not found and time.monotonic() - began < _LIMIT:
            asked = time.monotonic()
            answer = ask(f"ask-{number}", f"where is the {stone} kiln again?")
            slowest = max(slowest, time.monotonic() - asked)
            found = f"hall {number} ".encode() in (answer or b"")
            time.sleep(0 if found else 0.05)
        yield time.monotonic() - began, slowest


def run(backlog: int, sessions: int) -> dict[str, Any]:
    """The sessions, next to a daemon with a backlog."""
    home = Path(tempfile.mkdtemp(prefix="dejavu-fresh-"))
    for name in [name for name in os.environ if name.startswith(("DEJAVU_", "XDG_"))]:
        del os.environ[name]
    os.environ["HOME"] = str(home)
    from dejavu.config.paths import data_home
    from dejavu.interfaces.hooks import inject
    from dejavu.recall.history import embeddings
    from dejavu.services import hook_protocol
    from dejavu.services.daemon import instance_lock

    header = inject.request_header(["--agent", "claude"]) | {"folder": _FOLDER}

    def ask(session: str, prompt: str) -> bytes | None:
        told = {"session_id": session, "cwd": _FOLDER, "prompt": prompt}
        told["hook_event_name"] = "UserPromptSubmit"
        return inject.ask_daemon(header, json.dumps(told).encode())

    try:
        with Archive.open(data_home() / "archive") as archive:
            fill(archive, backlog)
            Recall(archive).catch_up()
            with subprocess.Popen([sys.executable, "-P", "-m", "dejavu.services.daemon"]) as daemon:
                door = Path(hook_protocol.folder()) / hook_protocol.PROMPT_SOCKET
                while not door.exists() or ask("first", "which kiln is where?") is None:
                    time.sleep(0.05)
                waiting = [embeddings.pending(archive)]
                began = time.monotonic()
                found = list(ended(archive, sessions, ask))
                lasted = time.monotonic() - began
                waiting.append(embeddings.pending(archive))
                size = memory(daemon.pid)
                instance_lock.stop(30)
                daemon.wait()
    finally:
        instance_lock.stop()
        shutil.rmtree(home, ignore_errors=True)
    late = sorted(seconds for seconds, _ in found)
    return {
        "backlog, exchanges": backlog,
        "sessions": sessions,
        "in the block within 2 s": sum(seconds <= 2.0 for seconds in late),
        "seconds, slowest": round(late[-1], 2),
        "seconds, median": round(statistics.median(late), 2),
        "seconds, slowest answer to a prompt": round(max(slowest for _, slowest in found), 2),
        "conversations without vectors, first and last": waiting,
        "lasted, seconds": round(lasted, 1),
        "memory of the daemon, MB": size,
    }


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Freshness of memory under a backlog of vectors.")
    parser.add_argument("--backlog", type=int, default=100_000, help="exchanges without a vector")
    parser.add_argument("--sessions", type=int, default=200)
    arguments = parser.parse_args()
    print(json.dumps(run(arguments.backlog, arguments.sessions), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
