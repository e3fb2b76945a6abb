"""What `dejavu sync` may cost at the most: bytes read, memory, and files opened.

Stores of Claude-like sessions, each synced by a child: one of a hundred megabytes that gets one more
line (bytes read of it), one of gigabytes with a line of seventy megabytes (the child's peak memory,
raw, turns and index included), ten thousand small ones of which none changed (files opened below
the home), and files that are made to be too much: sparse, one line of a gigabyte, lines of every
kind just below the limit, a document of a gigabyte. Of those the peak is also shown of the commands
that read the conversation back. Prints JSON.

    python benchmarks/sync_bounds.py [--gigabytes 3] [--line 70] [--files 10000] [--only CASE ...]
"""

import argparse
import base64
import json
import os
import random
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path

from archive_corpus import Session
from providers_memory import build

MB = 1_000_000
LINE = b'{"type":"user","uuid":"u-1","message":{"role":"user","content":"one more thing"}}\n'
BEFORE = b'{"type":"user","uuid":"u-2","message":{"role":"user","content":['
AFTER = b']},"timestamp":"2026-11-21T10:00:00Z"}\n'
NATIVE = "11111111-1111-4111-8111-111111111111"

CHILD = """
import json, os, resource, sys, time
from pathlib import Path
home, root = Path(sys.argv[1]), sys.argv[2]
read, opened = [0], []
real_pread = os.pread
def pread(descriptor, length, offset):
    data = real_pread(descriptor, length, offset)
    read[0] += len(data)
    return data
os.pread = pread
def audit(event, arguments):
    if event == "open" and str(arguments[0]).startswith(str(home)):
        opened.append(arguments[0])
from dejavu.archive import Archive
from dejavu.providers import Home
from dejavu.ingest.sync import sync_homes
sys.addaudithook(audit)
start = time.process_time()
with Archive.open(root) as archive:
    report = sync_homes(archive, [Home(home, {}, "x")])
    conversations = [summary.id for summary in archive.scan()]
    turns = sum(summary.turn_count for summary in archive.scan())
print(json.dumps({
    "sources": report.sources, "news": report.read, "bytes": report.bytes, "bytes_read": read[0],
    "files_opened": len(opened), "cpu_seconds": round(time.process_time() - start, 2),
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "turns": turns,
    "conversations": conversations, "truncated": len(report.truncated),
    "unreadable": [reason for _, reason in report.unreadable],
}))
"""
COMMAND = """
import resource, subprocess, sys
with open(sys.argv[1], "wb") as out:
    process = subprocess.Popen(sys.argv[2:], stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = __import__("os").wait4(process.pid, 0)
print(usage.ru_maxrss // 1024, __import__("os").waitstatus_to_exitcode(status))
"""


def sync(home: Path, root: Path) -> dict[str, object]:
    """What the child says that a sync did."""
    command = [sys.executable, "-c", CHILD, str(home), str(root)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    result: dict[str, object] = json.loads(output)
    return result


def read_back(folder: Path, conversation: str) -> dict[str, str]:
    """Peak megabytes of each command that reads the conversation (and its exit code, if not 0)."""
    environ = {**os.environ, "HOME": str(folder), "DEJAVU_ARCHIVE": str(folder / "archive")}
    commands = {
        "show": ("show", conversation), "show --json": ("show", "--json", conversation),
        "export raw": ("export", conversation, "-f", "raw"),
        "export html": ("export", conversation, "-f", "html"),
        "search": ("search", "thing"), "reparse": ("reparse",), "verify": ("verify",),
    }  # fmt: skip
    peaks: dict[str, str] = {}
    for name, words in commands.items():
        command = [
            sys.executable, "-c", COMMAND, os.devnull,
            sys.executable, "-m", "dejavu.interfaces.cli", *words,
        ]  # fmt: skip
        output = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, env=environ
        ).stdout
        peaks[name] = output.strip().removesuffix(" 0")
    return peaks


def one_more_line(folder: Path) -> dict[str, object]:
    session = Session(1, 100_000_000)
    path = folder / "home" / session.path
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        for line, _ in session.lines():
            file.write(line)
    sync(folder / "home", folder / "archive")
    with path.open("ab") as file:
        file.write(LINE)
    return {**sync(folder / "home", folder / "archive"), "line_bytes": len(LINE)}


def long_line(folder: Path, gigabytes: float, line: int) -> dict[str, object]:
    project = folder / "home" / ".claude" / "projects" / "-p"
    project.mkdir(parents=True)
    path = build(project, gigabytes, line)
    for part in project.glob("*.part"):
        part.unlink()
    result = sync(folder / "home", folder / "archive")
    path.unlink()
    return result


def unchanged(folder: Path, count: int) -> dict[str, object]:
    project = folder / "home" / ".claude" / "projects" / "-p"
    project.mkdir(parents=True)
    for number in range(count):
        name = uuid.UUID(int=number + (4 << 76) + (8 << 60))
        (project / f"{name}.jsonl").write_bytes(LINE.replace(b"u-1", b"u-%d" % number))
    sync(folder / "home", folder / "archive")
    return sync(folder / "home", folder / "archive")


def sparse(path: Path) -> None:
    """A gigabyte of zeros that takes no room, behind one good line."""
    path.write_bytes(LINE)
    os.truncate(path, 1000 * MB)


def _one_line(path: Path, size: int, before: bytes, piece: bytes, after: bytes) -> None:
    with path.open("wb") as file:
        file.write(LINE + before)
        for _ in range(size // len(piece)):
            file.write(piece)
        file.write(after + LINE.replace(b"u-1", b"u-3"))


def text_line(size: int, piece: bytes) -> Callable[[Path], None]:
    """A line of one text."""
    before, after = BEFORE + b'{"type":"text","text":"', b'"}' + AFTER
    return lambda path: _one_line(path, size, before, piece, after)


def small_values(path: Path) -> None:
    """A line of sixty megabytes full of empty objects."""
    _one_line(path, 60 * MB, BEFORE, b"{}," * 10_000, b"{}" + AFTER)


def document(path: Path) -> None:
    """A Gemini session, one document, of a gigabyte."""
    folder = path.parents[3] / ".gemini" / "tmp" / "p" / "chats"
    folder.mkdir(parents=True)
    message = b'{"id":"m%d","type":"user","content":"' + b"one thing " * 10_000 + b'"}'
    with (folder / "session-1.json").open("wb") as file:
        file.write(b'{"sessionId":"s","messages":[' + message % 0)
        for number in range(1, 10_000):
            file.write(b"," + message % number)
        file.write(b"]}")


_RANDOM = base64.b64encode(random.Random(1).randbytes(750_000))
LARGE: dict[str, Callable[[Path], None]] = {
    "sparse_1gb": sparse,
    "line_1gb": text_line(1000 * MB, b"some words of a very long answer " * 1000),
    "line_200mb": text_line(200 * MB, b"some words of a very long answer " * 1000),
    "line_60mb": text_line(60 * MB, b"some words of a very long answer " * 1000),
    "line_20mb_base64": text_line(20 * MB, _RANDOM),
    "line_60mb_base64": text_line(60 * MB, _RANDOM),
    "line_60mb_emoji": text_line(60 * MB, b"a few words, \xf0\x9f\x98\x80 and more " * 1000),
    "line_60mb_escapes": text_line(60 * MB, b"line\\n\\t\\u00e9\\\\ " * 1000),
    "line_60mb_values": small_values,
    "document_1gb": document,
}


def large(folder: Path, make: Callable[[Path], None]) -> dict[str, object]:
    """A sync of one file that is too much, and the commands that read it back."""
    project = folder / "home" / ".claude" / "projects" / "-p"
    project.mkdir(parents=True)
    make(project / f"{NATIVE}.jsonl")
    result = sync(folder / "home", folder / "archive")
    conversations = result.pop("conversations")
    if isinstance(conversations, list) and conversations:
        result["read_back_mb"] = read_back(folder, str(conversations[0]))
    return result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--gigabytes", type=float, default=3.0)
    options.add_argument("--line", type=int, default=70)
    options.add_argument("--files", type=int, default=10_000)
    options.add_argument("--folder", default="/var/tmp", help="where there is room for gigabytes")
    options.add_argument("--only", nargs="*", default=[])
    given = options.parse_args()
    cases: dict[str, Callable[[Path], dict[str, object]]] = {
        "one_more_line": one_more_line,
        "unchanged": lambda folder: unchanged(folder, given.files),
        "long_line": lambda folder: long_line(folder, given.gigabytes, given.line),
    }
    cases |= {name: lambda folder, make=make: large(folder, make) for name, make in LARGE.items()}
    result: dict[str, object] = {}
    for name in given.only or cases:
        with tempfile.TemporaryDirectory(prefix="dejavu-bench-", dir=given.folder) as scratch:
            case = cases[name](Path(scratch))
            case.pop("conversations", None)
            result[name] = case
            print(name, json.dumps(case), file=sys.stderr, flush=True)
    result["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
