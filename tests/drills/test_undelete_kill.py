"""`undelete` killed at random moments: no half-written file is visible, nothing of the user's changes."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.services.undelete.test_undelete import SESSION, archive_home, tree

from dejavu.archive import Archive
from dejavu.config.paths import archive_location

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
