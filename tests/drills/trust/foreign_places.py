"""Attack: our files are links to a file of the user's, and our folders are another user's.

Draws a file of ours that is a link, or a folder that another user made with mode 777, and runs the wrapper and
commands as ever. Held means: the agent's output and code are its own, the linked file has its bytes, nothing
is left in the other user's folder, and who was refused is told which folder it is.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.other_user import MISSING, UID

from ..budget import Budget
from . import Tally

ANGLE, FINDINGS = "links, others' folders", ("33.O1", "33.O2")
_STATE, _DATA = ".local/state/dejavu", ".local/share/dejavu"
LINKS = (
    f"{_STATE}/observer.log", f"{_STATE}/dejavu.log", f"{_STATE}/screen-notice", f"{_STATE}/serve.token",
    f"{_STATE}/hooks/daemon.log", f"{_STATE}/hooks/lock", f"{_STATE}/reading-scores.json",
    f"{_DATA}/redaction.key", f"{_DATA}/instance", f"{_DATA}/archive/writer.lock",
    f"{_DATA}/archive/archive.json",
)  # fmt: skip
FOLDERS = {
    "DEJAVU_STATE_HOME": ("", "sessions", "observers", "hooks"),
    "DEJAVU_DATA_HOME": ("", "archive"),
    "DEJAVU_CONFIG_HOME": ("", "packs"),
}
_PROGRAM = """
import time
print("> hello\\r\\n\\r\\n● An answer.\\r\\n\\r\\n> ", end="", flush=True)
time.sleep(.2)
raise SystemExit(3)
"""
_AGENT = (sys.executable, "-c", _PROGRAM)
_RUN = (
    sys.executable,
    "-m",
    "dejavu.interfaces.run",
    "--screen",
    "--headless",
    "--agent",
    "claude",
)
_CLI = (sys.executable, "-m", "dejavu.interfaces.cli")
_COMMANDS = (["list"], ["sync"], ["status"], ["doctor"])


def attack(budget: Budget, tally: Tally) -> None:
    """Run the wrapper and a command where a link or a folder of another user stands."""
    chance = budget.random
    while budget.more():
        with tempfile.TemporaryDirectory(prefix="dv") as name:
            home = Path(name)
            command = chance.choice(_COMMANDS)
            if MISSING or chance.random() < 0.6:
                _link(home, chance.choice(LINKS), command, tally)
            else:
                variable = chance.choice(sorted(FOLDERS))
                _folder(home, variable, command, chance, tally)


def _run(words: tuple[str, ...], home: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=120, check=False, cwd=home,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
             "DEJAVU_WARM_OBSERVER": "off", **more},
    )  # fmt: skip


def _wait_for_observers(home: Path) -> None:
    """Return when no process of this home is left; they end by themselves."""
    mark = f"HOME={home}\0".encode()
    end = time.monotonic() + 60
    while time.monotonic() < end and any(mark in one for one in _environments()):
        time.sleep(0.05)


def _environments() -> Iterator[bytes]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            yield path.read_bytes()


def _link(home: Path, name: str, command: list[str], tally: Tally) -> None:
    kept, link = home / "kept", home / name
    kept.write_text("mine\n")
    link.parent.mkdir(parents=True, mode=0o700)
    link.symlink_to(kept)
    ran = _run((*_RUN, *_AGENT), home)
    _run((*_CLI, *command), home)
    _wait_for_observers(home)
    held = kept.read_text() == "mine\n" and ran.returncode == 3 and "An answer." in ran.stdout
    tally.record(
        held,
        f"{name} is a link, `{' '.join(command)}`: {kept.read_text()[:60]!r}, {ran.returncode}",
    )


def _folder(
    home: Path, variable: str, command: list[str], chance: random.Random, tally: Tally
) -> None:
    place = home / "theirs"
    for inside in FOLDERS[variable]:
        folder = place / inside
        folder.mkdir(exist_ok=True)
        os.chown(folder, UID, UID)
        folder.chmod(chance.choice((0o777, 0o1777, 0o757)))
    ran = _run((*_RUN, *_AGENT), home, **{variable: str(place)})
    told = _run((*_CLI, *command), home, **{variable: str(place)})
    _wait_for_observers(home)
    left = [str(path.relative_to(place)) for path in place.rglob("*") if not path.is_dir()]
    named = str(place) in told.stdout + told.stderr
    held = ran.returncode == 3 and "An answer." in ran.stdout and named and not left
    tally.record(
        held, f"{variable} of another user, `{' '.join(command)}`: {left}, {told.stderr[:90]!r}"
    )
