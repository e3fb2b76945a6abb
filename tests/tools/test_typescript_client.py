"""The generated client is what the API's document makes; the Python one is in extensions/web."""

import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


def test_the_typescript_client_is_up_to_date() -> None:
    tool = REPO / "tools" / "typescript_client.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], timeout=60)
    assert done.returncode == 0, "run `make docs`"
