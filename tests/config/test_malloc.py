"""What a program frees goes back to the system, where its C library can be told so."""

import subprocess
import sys

import pytest

CODE = """
from dejavu.config.malloc import give_back, keep_little
keep_little()
def own():
    rows = open("/proc/self/smaps_rollup").read().splitlines()[1:]
    return next(int(row.split()[1]) for row in rows if row.startswith("Anonymous"))
pieces = [bytes([1]) * 100_000 for _ in range(400)]  # each is below what is mapped alone
keep = pieces[-1]
del pieces[:-1]
held = own()
give_back()
print(held - own())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux what is its own")
def test_what_was_freed_is_given_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=True
    )
    assert int(done.stdout) > 20_000  # KB
