"""The daemon as a program, with a lock that is already held."""

import os
import subprocess
import sys
from pathlib import Path

from dejavu.config.paths import private_folder
from dejavu.services.daemon import instance_lock as single
from dejavu.services.hook_protocol import folder


def test_it_takes_over_the_lock_of_whoever_starts_it(home: Path) -> None:
    lock = single._lock(private_folder(Path(folder())))
    assert lock is not None
    os.set_inheritable(lock, True)
    argv = [sys.executable, "-m", "dejavu.services.daemon", "--lock", str(lock), "--idle", "0.1"]
    done = subprocess.run(argv, pass_fds=[lock], timeout=60)
    assert done.returncode == 0
    os.close(lock)
    assert single.running() is None
