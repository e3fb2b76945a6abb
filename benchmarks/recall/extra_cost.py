"""What the `semantic` extra costs: megabytes on disk, and CPU for a thousand exchanges.

    python -m benchmarks.recall.extra_cost

Prints JSON. On disk: its packages and those that they need, as installed, without what a base install
has. CPU seconds of this machine, one thread, for exchanges of 100 and of 1,400 characters; milliseconds
for a question.
"""

import json
import random
import re
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.recall.corpus import TOLD

from dejavu.recall.history.minilm import encoder

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_SAMPLE = 100  # exchanges that are embedded


def needed(name: str, extra: str = "") -> set[str]:
    """The distributions that one needs, itself included; of its extras only `extra`."""
    found, waiting = set[str](), [(name, extra)]
    while waiting:
        one, wanted = waiting.pop()
        try:
            requires = metadata.requires(one) or []
        except metadata.PackageNotFoundError:
            continue
        found.add(re.sub(r"[-_.]+", "-", one).lower())
        for line in requires:
            match = _NAME.match(line)
            marked = "extra ==" in line
            mine = not marked or (
                bool(wanted) and re.search(rf"extra == .{wanted}.", line) is not None
            )
            if match is not None and mine and re.sub(r"[-_.]+", "-", match[0]).lower() not in found:
                waiting.append((match[0], ""))
    return found


def megabytes(names: set[str]) -> float:
    """The size of some distributions' files."""
    total: int = 0
    for name in names:
        for file in metadata.files(name) or ():
            path = Path(str(file.locate()))
            total += path.stat().st_size if path.exists() else 0
    return round(total / 1e6, 1)


def seconds(model: Any, length: int) -> float:
    """CPU seconds for a thousand exchanges of a length."""
    chance = random.Random(length)
    words = " ".join(str(one) for table in TOLD.values() for one in table).split()
    texts = [" ".join(chance.choices(words, k=length))[:length] for _ in range(_SAMPLE)]
    began = time.process_time()
    for text in texts:
        model([text])
    return round((time.process_time() - began) * 1_000 / _SAMPLE, 1)


def main() -> int:
    """Print the figures."""
    model = encoder()
    if model is None:
        print("the `semantic` extra is not installed", file=sys.stderr)
        return 1
    name = "dejavu-capture"
    base, whole = needed(name), needed(name, "semantic")
    model(["warm"])
    told = {
        "MB on disk": megabytes(whole - base),
        "packages": len(whole - base),
        "CPU s, 1,000 exchanges of 100 characters": seconds(model, 100),
        "CPU s, 1,000 exchanges of 1,400 characters": seconds(model, 1_400),
        "CPU ms, a question of 60 characters": seconds(model, 60),
    }
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
