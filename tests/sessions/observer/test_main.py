"""The observer as a program, fed frames as the wrapper writes them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from dejavu.capsule import Exit, Header, Output, encode
from dejavu.sessions import session_store as sessions


def _observe(header: dict[str, Any], *frames: bytes, term: bool = False) -> dict[str, Any]:
    """What it reports; `term` sends it a SIGTERM in the middle."""
    report, theirs = os.pipe()
    process = subprocess.Popen(
        ["bash", "-c", f'exec "$0" -m dejavu.sessions.observer 3>&{theirs}', sys.executable],
        stdin=subprocess.PIPE, pass_fds=[theirs],
    )  # fmt: skip
    os.close(theirs)
    assert process.stdin is not None
    process.stdin.write(encode(Header(header)))
    process.stdin.flush()
    if term:
        deadline = time.monotonic() + 30
        while not (Path(header["folder"]) / "status.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
    for frame in frames:
        process.stdin.write(frame)
    process.stdin.close()
    with os.fdopen(report, "rb") as file:
        told: dict[str, Any] = json.loads(file.read())
    assert process.wait(60) == 0
    return told


def _header(home: Path) -> dict[str, Any]:
    session = sessions.SessionHeader(
        id="20260101-000000-aaaa", agent="demo", argv=["demo"], workspace="/w", instance="",
        name="n", wrapper_pid=1, wrapper_started=1, started_at=time.time(), screen=True,
    )  # fmt: skip
    folder = sessions.create(session)
    return {
        **session._asdict(),
        "folder": str(folder),
        "mode": "headless",
        "columns": 60,
        "lines": 12,
        "pid": 1,
    }


_SCREEN = (
    "❯ why?\r\n\r\n● Because.\r\n\r\n"
    + "─" * 60
    + "\r\n❯ \r\n"
    + "─" * 60
    + "\r\n  ? for shortcuts"
).encode()


def test_frames_in_report_out(home: Path) -> None:
    now = time.time()
    told = _observe(_header(home), encode(Output(now, _SCREEN)), encode(Exit(now + 1, 0)))
    assert told["kept"] == "screen"


def test_a_torn_stream_is_finished_all_the_same(home: Path) -> None:
    frame = encode(Output(time.time(), _SCREEN))
    assert _observe(_header(home), frame, frame[:10])["kept"] == "screen"


def test_a_polite_term_does_not_cut_it_short(home: Path) -> None:
    assert (
        _observe(_header(home), encode(Output(time.time(), _SCREEN)), term=True)["kept"] == "screen"
    )
