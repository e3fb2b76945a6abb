"""Random moments of histories that were really written and committed, against their truth.

    python -m benchmarks.code.moments [--moments 1000] [--seed N]

An agent writes and edits files, a person changes them unseen, both commit. `turns exact`: moments at
which the turns are exactly those that had been said. `state`: moments at which a state is told; `state
wrong`: of those, not the one of the history. `certain`: hashes that are called certain; `certain
wrong`: of those, not the file's. `p95 ms`: of one moment. Prints JSON. The seed is not the tests'.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

from tests.extensions.code.test_moment import history
from tests.factories.edits import START

from dejavu.archive import Archive
from dejavu.extensions.code.index import EditIndex
from dejavu.extensions.code.moment import moment
from dejavu.model import Conversation, Role

_PER = 25  # moments of one history


def state_then(conversation: Conversation, at: float) -> str:
    """What a person who saw the history would say: idle after an answer, working before one."""
    before = [turn for turn in conversation.turns if (turn.at or 0.0) <= at]
    after = [turn for turn in conversation.turns if (turn.at or 0.0) > at]
    if not after:
        return "unknown"
    answered = before[-1].role == Role.ASSISTANT and after[0].role == Role.USER
    return "idle" if answered else "working"


def ask(folder: Path, generator: random.Random, counts: Counter[str], times: list[float]) -> None:
    """Ask `_PER` moments of one history, and count what is right."""
    script, truth = history(folder, generator)
    conversation = script.conversation()
    with Archive.open(folder.with_suffix(".archive")) as archive:
        archive.put(conversation)
        with EditIndex(archive) as index:
            index.catch_up()
            for _ in range(_PER):
                at = generator.uniform(START + 10, script.at + 20)
                begun = time.perf_counter()
                found = moment(archive, index, conversation, at)
                times.append((time.perf_counter() - begun) * 1000)
                counts["moments"] += 1
                wanted = [turn.seq for turn in conversation.turns if (turn.at or 0.0) <= at]
                counts["turns_exact"] += [turn.seq for turn in found.turns] == wanted
                if found.state != "unknown":
                    counts["state"] += 1
                    counts["state_wrong"] += found.state != state_then(conversation, at)
                for file in found.files:
                    counts["files"] += 1
                    states = [data for since, data in truth[Path(file.path)] if since <= at]
                    if file.certain:
                        counts["certain"] += 1
                        counts["certain_wrong"] += file.sha256 != sha256(states[-1]).hexdigest()
                    elif file.sha256:
                        counts["uncertain"] += 1
                        counts["uncertain_right"] += file.sha256 == sha256(states[-1]).hexdigest()


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=71)
    options = parser.parse_args()
    counts: Counter[str] = Counter(state_wrong=0, certain_wrong=0)
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(-(-options.moments // _PER)):
            ask(
                Path(folder, str(number)),
                random.Random(options.seed * 1000 + number),
                counts,
                times,
            )
    figures = {**counts, "certain_share": round(counts["certain"] / counts["files"], 3),
               "p95_ms": round(statistics.quantiles(times, n=20)[18], 1)}  # fmt: skip
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
