"""Ordinary screens on the capture path: how much of what agents drew is masked without need.

    python -m benchmarks.redact.screens [FOLDER ...] [--drawn N [--seed N]] [-v]

Reads every recording (`*.cast`) under the folders, by default `golden`, through grid, scrapers and
the redaction of the capture path, as the observer does. No recording there holds a secret, so every
replacement is one too many. With `--drawn` instead so many screens with excerpts of this Python's
standard library, paths of its files and output of tests, as each agent would draw them
(`chromes.py`), at sizes from 40 to 200 columns; what a plain text of them has replaced is not
counted. Prints, as JSON, the megabytes of text in the turns, the replacements by rule, and how many
fall on a megabyte; with `-v` the lines in which they stand.
"""

import argparse
import json
import random
import re
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks import ROOT
from benchmarks.redact.capture import kept
from benchmarks.redact.chromes import CHROMES, WRAPS, screen
from benchmarks.redact.redactor import REDACTOR

from dejavu.capsule import Output, Recording, Resize
from dejavu.model import turn_to_dict
from dejavu.providers.registry import agent_of
from dejavu.redact.conversation import redact_turn
from dejavu.scrapers import SessionReader

MARK = re.compile(r"\[redacted:([a-z0-9-]+):[0-9a-f]{8}\]")


def turn_texts(path: Path, agent: str) -> Iterator[str]:
    """The turns of one recording as the archive would get them, each as JSON."""
    recording = Recording(path)
    reader = SessionReader(agent, recording.columns or 80, recording.lines or 24, mask=REDACTOR)
    at = 0.0
    for event in recording:
        at = event.at
        if isinstance(event, Resize):
            reader.resize(event.columns, event.lines, at)
        elif isinstance(event, Output):
            reader.output(event.data, at)
    reader.exit(0, at + 30)
    for turn in reader.turns:
        redacted = redact_turn(turn, REDACTOR.redact)
        yield json.dumps(turn_to_dict(redacted), ensure_ascii=False, indent=1)


def drawn_texts(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Where ordinary text was drawn, and the turns of it as JSON."""
    rng = random.Random(seed)
    library = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(path for path in library.rglob("*.py") if "site-packages" not in path.parts)
    for _ in range(count):
        chrome, width = rng.choice(CHROMES), rng.choice((40, 57, 80, 100, 120, 160, 200))
        wrap = rng.choice(("hard", "words", "fill", "diff", "numbered"))
        path = rng.choice(files)
        lines = path.read_text("utf-8", "replace").expandtabs(4).splitlines() or [""]
        first = rng.randrange(len(lines))
        source = "\n".join(lines[first : first + rng.randrange(2, 30)])
        name = str(path.relative_to(library))
        dots = "." * rng.randrange(1, 70)
        output = rng.choice(
            (source, f"{name} {dots} [100%]\n{len(dots)} passed", f"{dots}\n{name}")
        )
        said = {"prompt": f"look at {name}", "output": output, "answer": f"It is in {name}"}
        if MARK.search(REDACTOR.redact("\n".join(said.values()))) is None:
            data = screen(chrome, WRAPS[wrap], width, **said)
            where = f"{chrome.agent} {width} {wrap} {name}:{first}"
            yield (
                where,
                json.dumps(json.loads(kept(chrome, data, width)), ensure_ascii=False, indent=1),
            )


def recorded_texts(folders: list[Path]) -> Iterator[tuple[str, str]]:
    """The recordings under some folders, and the turns of each."""
    for path in (path for folder in folders for path in sorted(folder.rglob("*.cast"))):
        # A case says its agent; elsewhere a folder of the path is called like one.
        agent = next((name for part in path.parts[::-1] if (name := agent_of([part]))), "auto")
        yield f"{path.parent.name}/{path.name}", "\n".join(turn_texts(path, agent))


def main() -> None:
    """Print the count of replacements as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / "golden"])
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="screens drawn anew")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true", help="print the lines with replacements")
    options = parser.parse_args()
    texts = (
        drawn_texts(options.drawn, options.seed)
        if options.drawn
        else recorded_texts(options.folders)
    )
    screens, size, found = 0, 0, Counter[str]()
    for where, text in texts:
        screens += 1
        size += len(text.encode())
        for line in text.splitlines():
            found.update(MARK.findall(line))
            if options.v and MARK.search(line):
                print(f"{where}: {line.strip()[:400]}", file=sys.stderr)
    report = {
        "screens": screens,
        "MB": round(size / 1e6, 3),
        "replacements": dict(found.most_common()),
        "a_MB": round(sum(found.values()) / (size / 1e6), 2),
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
