"""Exact search next to ripgrep over the agents' own files: the same letters, asked in turn.

    python -m benchmarks.archive.exact [--megabytes 200] [--rounds 5]

Generates a home of Claude-like sessions (`corpus.py`), syncs it, and asks for a text that is
nowhere, one that is in a few turns and one that is in thousands: `dejavu search --exact TEXT`, the
same in a process that already runs (`Archive.search`), and `rg --fixed-strings --count TEXT` over
the files. Prints JSON: CPU milliseconds of each (user and system, median of the rounds), and how
often the median of ours is that of ripgrep. ripgrep only counts lines; ours also says which turn
of which conversation it was. O(bytes); 200 MB take a minute.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.ingest.growth import DEJAVU, generate, run

from dejavu.archive import Archive

NEEDLES = {
    "nowhere": "no_such_identifier_0417",
    "rare": "get_unstructured_payload",
    "some": "raise ImportError(",
    "frequent": "self.assert",
    "everywhere": "import os",
}


def count(archive: Archive, text: str) -> int:
    """Turns with the text, up to a thousand."""
    return len(archive.search(text, exact=True, limit=1_000))


def measure(home: Path, env: dict[str, str], rounds: int) -> dict[str, Any]:
    """Each text asked both ways."""
    rg = shutil.which("rg")
    if rg is None:
        raise SystemExit("ripgrep (rg) is needed for the comparison")
    figures: dict[str, Any] = {}
    with Archive.open(Path(env["DEJAVU_DATA_HOME"]) / "archive") as archive:
        for name, text in NEEDLES.items():
            ways: dict[str, list[float]] = {"command": [], "process": [], "ripgrep": []}
            for _ in range(rounds):
                ways["command"].append(run([DEJAVU, "search", "--exact", text, "--json"], env).cpu)
                start = time.process_time()
                archive.search(text, exact=True, limit=20)
                ways["process"].append(time.process_time() - start)
                command = [rg, "-uu", "--fixed-strings", "--count", "--", text, str(home)]
                ways["ripgrep"].append(run(["sh", "-c", '"$@" || true', "sh", *command], env).cpu)
            middle = {way: 1e3 * statistics.median(taken) for way, taken in ways.items()}
            figures[name] = {
                "turns": count(archive, text),
                **{f"{way}_cpu_ms": round(value, 1) for way, value in middle.items()},
                "command_to_ripgrep": round(middle["command"] / middle["ripgrep"], 2),
                "process_to_ripgrep": round(middle["process"] / middle["ripgrep"], 2),
            }
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=200.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default="/var/tmp", help="where there is room")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dejavu-exact-", dir=given.folder) as scratch:
        folder = Path(scratch)
        home = folder / "home"
        total, files = generate(home, int(given.megabytes * 1e6))
        env = {
            "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
            "DEJAVU_DATA_HOME": str(folder / "data"), "DEJAVU_STATE_HOME": str(folder / "state"),
        }  # fmt: skip
        run([DEJAVU, "sync", "--json"], env)
        found = measure(home / ".claude", env, given.rounds)
    figures = {"bytes": total, "files": files, "texts": found}
    print(json.dumps({**figures, "load": round(os.getloadavg()[0], 1)}, indent=1))


if __name__ == "__main__":
    main()
