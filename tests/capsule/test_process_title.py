"""The name that a process shows, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

SHOW = """
import sys
from dejavu.capsule import set_process_title
done = set_process_title({words!r})
line = open('/proc/self/cmdline', 'rb').read().rstrip(b'\\0')
print(done, line, open('/proc/self/comm', errors='replace').read().strip())
print(sys.argv[1:])
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="needs /proc")


@pytest.mark.parametrize(
    ("words", "line", "name"),
    [
        (["claude", "dejavu-run", "--model", "x"], b"claude\0dejavu-run\0--model\0x", "claude"),
        (["a-name-longer-than-fifteen", "x"], b"a-name-longer-than-fifteen\0x", "a-name-longer-t"),
        (["\udcff"], b"\xff", None),
        ([""], b"", ""),
    ],
)
def test_it_is_shown_and_nothing_else_changes(
    words: list[str], line: bytes, name: str | None
) -> None:
    command = [sys.executable, "-c", SHOW.format(words=words), "one", "two"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    first, second = done.stdout.splitlines()
    assert first.startswith(f"True {line!r} ".encode())
    assert name is None or first.endswith(f" {name}".encode())
    assert second == b"['one', 'two']"


def test_what_does_not_fit_is_cut() -> None:
    command = [sys.executable, "-c", SHOW.format(words=["x" * 20, "y" * 100_000])]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert done.stdout.startswith(b"True b'" + b"x" * 20)
