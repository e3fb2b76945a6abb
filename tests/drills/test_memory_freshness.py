"""A session that just ended is in the next prompt's block, whatever waits for its vectors.

Sessions end at random moments while the daemon makes vectors for a backlog (with the `semantic`
extra; without it the backlog is one of words alone).
"""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.services.daemon.test_instance_lock import DAEMON, until
from tests.services.daemon.test_prompt_server import payload, put, seen

from dejavu.archive import Archive
from dejavu.interfaces.hooks import inject
from dejavu.services.hook_protocol import PROMPT_SOCKET, folder

BACKLOG = 300
WORDS = (
    "amber", "basalt", "cobalt", "dolerite", "ebony", "flint", "garnet", "hematite", "indigo", "jasper",
)  # fmt: skip


@pytest.fixture
def root(home: Path) -> Iterator[Path]:
    root = home / ".local/share/dejavu/archive"
    with Archive.open(root):
        pass
    for number in range(BACKLOG):
        told = f"Step {number} of the survey is done; the sheet for row {number} is filed. " * 8
        put(root, f"old-{number}", f"File the sheet for row {number}.", told)
    with subprocess.Popen([*DAEMON, "--idle", "60"]) as daemon:
        until((Path(folder()) / PROMPT_SOCKET).exists)
        until(lambda: seen(root))
        yield root
        daemon.kill()


@pytest.mark.parametrize(
    ("count", "patience"), [(20, 15.0), pytest.param(200, 2.0, marks=pytest.mark.soak)]
)
def test_a_session_that_just_ended_is_in_the_next_block(
    root: Path, count: int, patience: float
) -> None:
    """patience: seconds from a session's end to the block that quotes it; more where other tests run."""
    header = inject.request_header(["--agent", "claude"]) | {"folder": "/work/retry"}
    until(lambda: inject.ask_daemon(header, payload(prompt="which kiln is where?")) is not None)
    chance = random.Random(36)
    late: list[float] = []
    for number in range(count):
        time.sleep(chance.random() * 0.4)
        stone = f"{WORDS[number % 10]}{WORDS[number // 10 % 10]}{number}"
        put(
            root,
            f"new-{number}",
            f"Where is the {stone} kiln?",
            f"The {stone} kiln is in hall {number}.",
        )
        began = time.monotonic()
        asked = payload(session_id=f"ask-{number}", prompt=f"where is the {stone} kiln again?")
        while f"hall {number}".encode() not in (inject.ask_daemon(header, asked) or b""):
            assert time.monotonic() - began < patience, f"{stone} was not found"
            time.sleep(0.05)
        late.append(time.monotonic() - began)
    assert max(late) < patience
    sys.stdout.write(
        f"{count} sessions: slowest {max(late):.3f} s, median {sorted(late)[count // 2]:.3f} s\n"
    )
