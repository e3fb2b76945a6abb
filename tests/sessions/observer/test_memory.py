"""What an observer holds does not grow with what a session prints, whatever that is."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dejavu.archive import Archive
from dejavu.capsule import Exit, Header, Output, encode
from dejavu.model import Role
from dejavu.sessions import session_store as sessions

_LIMIT = 68.0
"""MB of resident memory; a million lines take less than 60, some more where output waits on a busy machine."""

_BOX = "─" * 80 + "\r\n❯ \r\n" + "─" * 80 + "\r\n  ? for shortcuts"


def _exchanges(count: int, rows: int) -> Iterator[bytes]:
    yield _BOX.encode()
    for number in range(count):
        answer = [f"  row {row} of answer {number}, as long as rows are" for row in range(rows)]
        lines = [f"❯ question {number}?", "", f"● Answer {number}.", *answer, "", _BOX]
        yield ("\r\x1b[3A\x1b[J" + "\r\n".join(lines)).encode()


def _one_answer() -> Iterator[bytes]:
    yield "❯ tell me all\r\n\r\n● It begins.\r\n".encode()
    for start in range(0, 40_000, 1000):
        rows = (f"  row {row} of a text that does not end" for row in range(start, start + 1000))
        yield ("\r\n".join(rows) + "\r\n").encode()


def _no_prompt() -> Iterator[bytes]:
    yield from (b"a line of a log that nobody asked for\r\n" * 1000 for _ in range(40))


def _events() -> Iterator[bytes]:
    yield from (b"\x1b]0;a title of some length\x07\x07" * 4000 for _ in range(40))


def _short_lines() -> Iterator[bytes]:
    yield b"x\n" * 30_000  # three times the scrollback


def _pages() -> Iterator[bytes]:
    yield b"\x1b[?1049h"
    for page in range(3000):
        rows = "\r\n".join(f"❯ page {page} row {row}" for row in range(20))
        yield f"\x1b[2J\x1b[H{rows}".encode()


def _rss(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return 0.0
    if b"sessions.observer\0" not in command or "VmRSS" not in status:
        return 0.0  # it has become the indexer
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _peak(folder: Path, header: dict[str, Any], pieces: Iterator[bytes]) -> float:
    """The most memory of an observer that reads these pieces."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dejavu.sessions.observer"], stdin=subprocess.PIPE, cwd=folder
    )
    assert process.stdin is not None
    sizes = [0.0]
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            sizes.append(_rss(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    with process.stdin as stdin:
        stdin.write(encode(Header(header)))
        for data in pieces:
            for start in range(0, len(data), 1 << 16):
                stdin.write(encode(Output(time.time(), data[start : start + (1 << 16)])))
        stdin.write(encode(Exit(time.time(), 0)))
    assert process.wait(300) == 0
    over.set()
    watcher.join()
    return max(sizes)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("make", "prompts"),
    [
        (lambda: _exchanges(300, 58), 300),
        (lambda: _exchanges(3000, 1), 3000),
        (_one_answer, 1),
        (_no_prompt, 0),
        (_events, 0),
        (_short_lines, 0),
        (_pages, None),
    ],
    ids=["exchanges", "short exchanges", "one answer", "no prompt", "events", "lines", "pages"],
)
@pytest.mark.fault("1.21")
def test_memory_stays_and_nothing_is_lost(
    home: Path, make: Callable[[], Iterator[bytes]], prompts: int | None
) -> None:
    header = sessions.SessionHeader(
        id="20260101-000000-aaaa", agent="demo", argv=["demo"], workspace="/w", instance="local",
        name="n", wrapper_pid=1, wrapper_started=1, started_at=time.time(), screen=True,
    )  # fmt: skip
    folder = sessions.create(header)
    fields = {
        **header._asdict(), "folder": str(folder), "mode": "headless", "columns": 80, "lines": 24,
        "pid": os.getpid(),
    }  # fmt: skip
    peak = _peak(folder, fields, make())
    assert 10.0 < peak < _LIMIT
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        turns = [turn for summary in archive.scan() for turn in archive.turns(summary.id)]
    asked = sum(turn.role is Role.USER for turn in turns)
    assert prompts in (None, asked)
    if prompts == 1:
        rows = "\n".join(turn.text for turn in turns).count(" of a text that does not end")
        assert rows == 40_000
