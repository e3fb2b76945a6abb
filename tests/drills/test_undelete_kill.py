"""`undelete`, `resume` and `desk restore` killed at random moments: no half-written file is ever visible.

Nothing of the user's own changes, and a second run completes what the first began. DEJAVU_KILLS: how
often each is killed.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.factories.lost_claude import lose_claude, program
from tests.factories.sessions import start as record
from tests.services.undelete.test_undelete import SESSION, archive_home, tree

from dejavu.archive import Archive
from dejavu.config.paths import archive_location, data_home

KILLS = int(os.environ.get("DEJAVU_KILLS", "12"))
MINE = {".claude/settings.json": b'{"mine":1}', ".claude/projects/-work-pond/mine.jsonl": b"mine\n"}


def test_killed_at_any_moment(home: Path, tmp_path: Path) -> None:
    agents_home = tmp_path / "agents-home"
    agents_home.mkdir()
    identities = archive_home("claude", agents_home)
    with Archive.open(archive_location()) as archive:
        (identity,) = (one for one in identities if archive.summary(one).native_id == SESSION)
    whole = {name: data for name, data in tree(agents_home).items() if SESSION in name}
    command = [
        sys.executable, "-m", "dejavu.interfaces.cli", "undelete", identity,
        "-y", "--to", str(agents_home),
    ]  # fmt: skip
    generator, longest, killed = random.Random(7), 0.0, 0
    for number in range(KILLS + 1):
        shutil.rmtree(agents_home)
        for name, data in MINE.items():
            (agents_home / name).parent.mkdir(parents=True, exist_ok=True)
            (agents_home / name).write_bytes(data)
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if number == 0:  # unharmed, to know how long it takes
            assert process.wait(60) == 0
            longest = time.monotonic() - began
        else:
            time.sleep(generator.uniform(longest * 0.5, longest))
            process.send_signal(signal.SIGKILL)
            killed += process.wait(60) == -signal.SIGKILL
        found = tree(agents_home)
        assert {name: found.pop(name) for name in MINE} == MINE
        visible = {name for name in found if not Path(name).name.startswith(".")}
        assert {name for name in visible if found[name] != whole[name]} == set()
        assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
        assert tree(agents_home) == {**whole, **MINE}
    assert killed, "no run was killed before its end"


@pytest.mark.parametrize("words", [("desk", "restore"), ("resume", "ID")], ids=["desk", "resume"])
def test_killed_while_it_starts_what_was_lost(
    words: tuple[str, str], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", program(tmp_path / "bin", "exec sleep 1"))
    lost = lose_claude(home, tmp_path / "pond")
    mine = {home / ".claude/settings.json": b'{"mine":1}', lost.log.parent / "m.jsonl": b"mine\n"}
    command = [
        sys.executable, "-m", "dejavu.interfaces.cli",
        *(lost.identity if word == "ID" else word for word in words), "-y",
    ]  # fmt: skip
    generator, longest, killed, cut = random.Random(7), 0.0, 0, 0
    for number in range(KILLS + 1):
        shutil.rmtree(home / ".claude")
        (data_home() / "undeleted" / f"{lost.identity}.json").unlink(missing_ok=True)
        for path, data in mine.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        record(f"20260101-000000-{number:04x}", "working", live=False, name=f"s{number}",
               conversation=lost.identity, updated_at=time.time())  # fmt: skip
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if number == 0:  # unharmed, to know how long it takes
            assert process.wait(60) == 0
            longest = time.monotonic() - began
        else:
            _wait(generator, longest, number, lost.identity)
            process.send_signal(signal.SIGKILL)
            killed += process.wait(60) == -signal.SIGKILL
        cut += 0 < sum(path.exists() for path in lost.files) < len(lost.files)
        there = {
            path: path.read_bytes() for path in (home / ".claude").rglob("*") if path.is_file()
        }
        visible = {p: data for p, data in there.items() if not p.name.startswith(".")}
        assert visible.items() <= {**lost.files, **mine}.items()
        assert visible.items() >= mine.items()
        again = [*command[:3], "undelete", lost.identity, "-y"]
        assert subprocess.run(again, capture_output=True, timeout=60, check=False).returncode == 0
        assert {path: path.read_bytes() for path in lost.files} == lost.files
    assert killed, "no run was killed before its end"
    sys.stdout.write(f"{words[0]}: {killed} of {KILLS} were killed, {cut} between two files\n")


def _wait(generator: random.Random, longest: float, number: int, identity: str) -> None:
    """Until a random moment; every second time one in which files are written."""
    begun = data_home() / "undeleted" / f"{identity}.json"
    end = time.monotonic() + generator.uniform(longest * 0.2, longest)
    if number % 2:
        while not begun.exists() and time.monotonic() < end + longest:
            time.sleep(0.0005)
        end = time.monotonic() + generator.uniform(0, 0.015)
    time.sleep(max(0.0, end - time.monotonic()))
