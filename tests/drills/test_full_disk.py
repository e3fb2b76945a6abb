"""A disk that fills up under a sync, and one that may not be written, as a user meets them.

In a user namespace with a small disk of its own: the command says what is wrong and how to cure it,
what was acknowledged is there, and once there is room the same command brings the rest.
"""

import json
import random
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from dejavu.archive import Archive

SESSIONS, PROMPTS = 6, 150
DEJAVU = shlex.join([sys.executable, "-m", "dejavu.interfaces.cli"])
DRILL = """
set -u
mount -t tmpfs -o size=2m tmpfs {disk}
dejavu() {{ {dejavu} "$@"; echo "code $?"; }}
echo full; dejavu sync 2>&1
echo held; dejavu list --json
echo checked; dejavu verify
mount -o remount,size=64m {disk}
echo room; dejavu sync 2>&1
mount -o remount,ro {disk}
echo closed; dejavu sync --final 2>&1
echo read; dejavu list --json
cp -r {disk}/archive {out}
"""


class Said(NamedTuple):
    """What a step printed, and its exit code."""

    words: str
    code: int


def steps(printed: str) -> dict[str, Said]:
    """The parts of the drill by name."""
    found: dict[str, Said] = {}
    name, lines = "", list[str]()
    for line in printed.splitlines():
        if line.startswith("code "):
            found[name] = Said("\n".join(lines), int(line.split()[1]))
            name, lines = "", []
        elif not name:
            name = line
        else:
            lines.append(line)
    return found


def write_sessions(home: Path) -> None:
    """More than the small disk holds, in words that do not compress."""
    chance = random.Random("full")
    folder = home / ".claude" / "projects" / "-work-x"
    folder.mkdir(parents=True)
    for number in range(SESSIONS):
        name = f"0000000{number}-0000-4000-8000-000000000000"
        with (folder / f"{name}.jsonl").open("w") as file:
            for prompt in range(PROMPTS):
                words = " ".join(f"{chance.getrandbits(64):x}" for _ in range(300))
                row = {
                    "type": "user", "uuid": f"{name}-{prompt}", "sessionId": name, "cwd": "/work/x",
                    "timestamp": "2026-11-21T10:00:00.000Z",
                    "message": {"role": "user", "content": words},
                }  # fmt: skip
                file.write(json.dumps(row) + "\n")


def test_a_disk_that_fills_up_and_one_that_is_closed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    inside = ["unshare", "-Urm", "sh", "-c"]
    if subprocess.run([*inside, f"mount -t tmpfs tmpfs {disk}"], check=False).returncode:
        pytest.skip("needs a user namespace to mount a small disk of its own")
    write_sessions(home)
    monkeypatch.setenv("DEJAVU_ARCHIVE", str(disk / "archive"))
    drill = DRILL.format(disk=disk, dejavu=DEJAVU, out=out)
    done = subprocess.run([*inside, drill], capture_output=True, text=True, check=False)
    said = steps(done.stdout)
    assert done.returncode == 0, done.stderr

    assert said["full"].code == 4
    assert "nothing of this change was kept, everything before it is" in said["full"].words
    assert "free some space" in said["full"].words
    held = [summary["turn_count"] for summary in json.loads(said["held"].words)["conversations"]]
    assert set(held) <= {PROMPTS}
    assert said["checked"].code == 0

    assert said["room"].code == 0
    assert said["closed"].code == 1
    assert "Read-only file system" in said["closed"].words
    assert len(json.loads(said["read"].words)["conversations"]) == SESSIONS
    with Archive.open(out, create=False, readonly=True) as archive:
        assert archive.maintenance.verify().clean
        assert [summary.turn_count for summary in archive.scan()] == [PROMPTS] * SESSIONS
