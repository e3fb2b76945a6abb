import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.factories.edits import Script

from dejavu.archive import Archive
from dejavu.config.paths import archive_location


def _run(payload: bytes, **environ: str) -> tuple[int, bytes, bytes, float]:
    import os

    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "dejavu.interfaces.hooks.assist", "--agent", "claude"],
        input=payload, capture_output=True, env={**os.environ, **environ}, timeout=20, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr, time.monotonic() - began


def test_it_answers_and_falls_silent(home: Path) -> None:
    script = Script("one", "/w")
    script.user("Never edit a.py by hand.")
    script.edit("/w/a.py", "a", "b")
    with Archive.open(archive_location()) as archive:
        archive.put(script.conversation())
    tool = {"file_path": "/w/a.py", "old_string": "b", "new_string": "c"}
    payload = json.dumps(
        {
            "hook_event_name": "PreToolUse",
            "session_id": "x",
            "cwd": "/w",
            "tool_name": "Edit",
            "tool_input": tool,
        }
    ).encode()
    code, out, err, _ = _run(payload, DEJAVU_HOOK_LIMIT="15")
    assert (code, err) == (0, b"")
    assert b"Never edit a.py by hand" in out
    assert _run(payload, DEJAVU_ASSIST="off")[:3] == (0, b"", b"")


@pytest.mark.parametrize(
    "payload", [b"", b"{", b'"Edit"', b'{"tool_name": "Edit", "tool_input": 3}', b"[" * 9_000]
)
def test_broken_payloads_are_silent(home: Path, payload: bytes) -> None:
    assert _run(payload)[:3] == (0, b"", b"")
