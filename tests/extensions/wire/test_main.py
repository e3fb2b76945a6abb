import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.factories.wire import ASKED, SECRET, SSE, Model

from dejavu.extensions.wire.routes import local_base


def _proxy(facts: dict[str, Any]) -> "subprocess.Popen[bytes]":
    proxy = subprocess.Popen(
        [sys.executable, "-m", "dejavu.extensions.wire"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert proxy.stdin is not None
    proxy.stdin.write(json.dumps(facts).encode() + b"\n")
    proxy.stdin.flush()
    return proxy


@pytest.mark.parametrize("asked", [0, 1])
def test_it_serves_until_its_pipe_ends_and_has_the_last_word(
    home: Path, model: Model, asked: int
) -> None:
    facts = {"agent": "claude", "instance": "local", "workspace": "/w", "run": "r"}
    proxy = _proxy({**facts, "upstreams": [model.url], "secret": SECRET})
    assert proxy.stdout is not None
    base = local_base(json.loads(proxy.stdout.readline())["port"], SECRET, 0)
    for _ in range(asked):
        with urllib.request.urlopen(f"{base}/v1/messages", json.dumps(ASKED).encode()) as answer:
            assert answer.read() == b"".join(SSE)
    out, _ = proxy.communicate(timeout=60)
    told = json.loads(out)
    assert (proxy.returncode, told["lines"], told["notes"]) == (0, asked, [])
    assert len(told["conversations"]) == asked
