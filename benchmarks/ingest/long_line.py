"""What `dejavu import FILE --agent claude` takes for a stream with one line that is far too long.

    python -m benchmarks.ingest.long_line [--megabytes 100]

Before and behind that line stand short ones. Prints JSON: the peak of memory in MB, that of a stream
of short lines of the same size, CPU seconds, and whether the turns around the line and all raw bytes are in
the archive. O(bytes).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_SHORT = 4_000


def _line(number: int, text: str) -> bytes:
    message = {"id": f"m{number}", "role": "assistant", "content": [{"type": "text", "text": text}]}
    return (
        json.dumps({"type": "assistant", "session_id": "s-1", "message": message}).encode() + b"\n"
    )


def stream(megabytes: int, *, one_line: bool) -> Iterator[bytes]:
    """The pieces of a stream of so many megabytes, in one line or in many."""
    yield b'{"type":"system","subtype":"init","session_id":"s-1","cwd":"/w"}\n'
    yield _line(0, "the turn before")
    if one_line:
        whole = _line(1, "@")
        before, _, behind = whole.partition(b"@")
        yield before
        for _ in range(megabytes):
            yield b"lorem ipsum, dolor. " * 50_000
        yield behind
    else:
        for number in range(megabytes * 1_000_000 // _SHORT):
            yield _line(number + 1, "lorem ipsum, dolor. " * (_SHORT // 20 - 5))
    yield _line(10**9, "the turn behind")


def measure(folder: Path, megabytes: int, *, one_line: bool) -> dict[str, object]:
    """The figures of one import into an empty archive."""
    folder.mkdir()
    file = folder / "stream.jsonl"
    with file.open("wb") as out:
        out.writelines(stream(megabytes, one_line=one_line))
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    program = [sys.executable, "-m", "dejavu.interfaces.cli"]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [*program, "import", str(file), "--agent", "claude", "--json"],
            env=env, stdout=said, stderr=said,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    document = json.loads((folder / "said").read_text())
    (identity,) = document["conversations"]

    def asked(*words: str) -> bytes:
        return subprocess.run([*program, *words], env=env, capture_output=True, check=True).stdout

    shown = asked("show", identity, "--json")
    return {
        "peak_mb": round(used.ru_maxrss / 1024),
        "cpu_s": round(used.ru_utime + used.ru_stime, 1),
        "named": document.get("truncated", []),
        "turns_around": all(text in shown for text in (b"the turn before", b"the turn behind")),
        "raw_kept": asked("export", identity, "--format", "raw") == file.read_bytes(),
    }


def main() -> None:
    """Print the figures of both streams."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=100)
    megabytes = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory(prefix="dejavu-") as folder:
        for name, one_line in (("one line", True), ("short lines", False)):
            figures = measure(Path(folder) / name.replace(" ", "-"), megabytes, one_line=one_line)
            print(json.dumps({"stream": name, "megabytes": megabytes, **figures}))


if __name__ == "__main__":
    main()
