"""A running session that shows a screen: wrapper, observer and socket are the real ones."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.factories.archive import Result

_AGENT = r"""
import os, sys, time
key = os.environ["WEATHER_API_KEY"]
rule = "─" * 60
sys.stdout.write(f"\x1b[?1049h\x1b[H❯ why?\r\n\r\n\x1b[1m●\x1b[m Because of {key}.\r\n\r\n"
                 f"{rule}\r\n❯ \r\n{rule}\r\n  ? for shortcuts")
sys.stdout.flush()
time.sleep(600)
"""


@pytest.fixture
def live(home: Path, dejavu: Callable[..., Result]) -> Iterator[str]:
    """The name of a session whose agent has answered and shows a secret of its environment."""
    command = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--size", "60x12"]
    wrapper = subprocess.Popen(
        [*command, "--name", "x", "--agent", "demo", "--", sys.executable, "-c", _AGENT],
        env={**os.environ, "WEATHER_API_KEY": "cumulonimbus-4711-xyz"},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert dejavu("wait", "x", "--appear", "60", "--timeout", "60").code == 0
    yield "x"
    wrapper.send_signal(signal.SIGTERM)
    wrapper.wait(60)
