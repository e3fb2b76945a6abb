"""Random moments of work that was really done and committed, against its truth.

    python -m benchmarks.code.moments [--moments 1000] [--seed N] [--turns 1000000]

`recorded`: Claude Code's session files with all that it keeps in them, read by a real sync.
`bare`: tool calls that state their arguments only, as most other agents keep them. A person and
commands change files unseen in both. `turns exact`: moments at which the turns are exactly those that
had been said. `state`: moments at which a state is told. `certain`: hashes that are called certain.
`could`: hashes for which the records leave one content only; the others no program can know. `why not`:
reasons of the others. `p95 ms`: of one moment. With `--turns` only that is asked, of an archive of so
many turns in which 1,000 conversations changed 400 files. Prints JSON. The seed is not the tests'.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.extensions.code.test_moment import history
from tests.factories.claude_project import claude_project
from tests.factories.edits import START, Script

from dejavu.archive import Archive
from dejavu.extensions.code.file_then import FileThen
from dejavu.extensions.code.index import EditIndex
from dejavu.extensions.code.moment import moment
from dejavu.ingest.sync import sync_homes
from dejavu.model import Conversation, Role
from dejavu.providers import Home

_PER = 25  # moments of one history
_CONVERSATIONS, _FILES = 1_000, 400  # of a large archive


class Tally:
    """What was right of one kind of history."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter(state_wrong=0, certain_wrong=0, certain_of_could=0)
        self.reasons: Counter[str] = Counter()
        self.times: list[float] = []

    def figures(self) -> dict[str, Any]:
        """The figures to print."""
        counts = self.counts
        shares = {
            "certain_share": round(counts["certain"] / counts["files"], 3),
            "certain_of_could_share": round(counts["certain_of_could"] / counts["could"], 3),
        }
        return {**counts, **shares, "why_not": dict(self.reasons.most_common()),
                "p95_ms": round(statistics.quantiles(self.times, n=20)[18], 1)}  # fmt: skip

    def file(self, found: FileThen, held: bytes, *, could: bool) -> None:
        """Count one file at a moment."""
        right = found.sha256 == sha256(held).hexdigest()
        self.counts["files"] += 1
        self.counts["could"] += could
        if found.certain:
            self.counts["certain"] += 1
            self.counts["certain_wrong"] += not right
            self.counts["certain_of_could"] += could
        else:
            self.reasons[found.reason] += 1


def state_then(conversation: Conversation, at: float) -> str:
    """What a person who saw the history would say: idle after an answer, working before one."""
    before = [turn for turn in conversation.turns if (turn.at or 0.0) <= at]
    after = [turn for turn in conversation.turns if (turn.at or 0.0) > at]
    if not after:
        return "unknown"
    answered = before[-1].role == Role.ASSISTANT and after[0].role == Role.USER
    return "idle" if answered else "working"


def ask(
    archive: Archive, conversation: Conversation, at: float, tally: Tally
) -> tuple[FileThen, ...]:
    """Ask one moment, and count its turns and state."""
    with EditIndex(archive) as index:
        index.catch_up()
        begun = time.perf_counter()
        found = moment(archive, index, conversation, at)
        tally.times.append((time.perf_counter() - begun) * 1000)
    tally.counts["moments"] += 1
    wanted = [turn.seq for turn in conversation.turns if (turn.at or 0.0) <= at]
    tally.counts["turns_exact"] += [turn.seq for turn in found.turns] == wanted
    if found.state != "unknown":
        tally.counts["state"] += 1
        tally.counts["state_wrong"] += found.state != state_then(conversation, at)
    return found.files


def bare(folder: Path, generator: random.Random, tally: Tally) -> None:
    """Moments of one history of bare calls."""
    script, truth = history(folder, generator)
    conversation = script.conversation()
    with Archive.open(folder.with_suffix(".archive")) as archive:
        archive.put(conversation)
        for _ in range(_PER):
            at = generator.uniform(START + 10, script.at + 20)
            for file in ask(archive, conversation, at, tally):
                path = Path(file.path)
                could = truth.could_be_certain(path, at, script.at + 1_000)
                tally.file(file, truth.held(path, at), could=could)


def recorded(folder: Path, generator: random.Random, tally: Tally) -> None:
    """Moments of one project that Claude Code's own file tells."""
    home = folder.with_suffix(".home")
    project = claude_project(folder, home, generator)
    with Archive.open(folder.with_suffix(".archive")) as archive:
        sync_homes(archive, [Home(home, {})])
        (summary,) = archive.scan()
        conversation = archive.get(summary.id)
        for _ in range(_PER):
            at = generator.uniform(START + 1, project.at + 20)
            for file in ask(archive, conversation, at, tally):
                path = Path(file.path)
                could = project.truth.could_be_certain(path, at, project.at + 1_000)
                tally.file(file, project.truth.held(path, at), could=could)


def large(folder: Path, turns: int, generator: random.Random, moments: int) -> dict[str, Any]:
    """Moments of an archive of so many turns; the index is made before."""
    tally, chosen = Tally(), []
    with Archive.open(folder / "archive") as archive:
        for number in range(_CONVERSATIONS):
            script = Script(f"c{number}", "/work", at=START + number * 3_000)
            while len(script.turns) < turns // _CONVERSATIONS:
                path = f"/work/src/file{generator.randrange(_FILES)}.py"
                act = generator.random()
                if act < 0.2:
                    script.edit(path, f"old {len(script.turns)}", f"new {generator.random()}")
                elif act < 0.3:
                    script.call("Write", {"file_path": path, "content": f"{act}\n" * 20})
                elif act < 0.5:
                    script.call("Read", {"file_path": path}, f"     1\t{act}")
                else:
                    script.user(f"go on with {act}")
                    script.says(f"It is done: {act}.")
            archive.put(script.conversation())
            chosen.append((script.id, START + number * 3_000, script.at))
        begun = time.process_time()
        with EditIndex(archive) as index:
            index.catch_up()
            taken = time.process_time() - begun
            for identity, first, last in generator.choices(chosen, k=moments):
                at = generator.uniform(first + 10, last)
                summary = archive.summary(identity)
                begun = time.perf_counter()
                found = moment(archive, index, summary, at)
                tally.times.append((time.perf_counter() - begun) * 1000)
                tally.counts["files"] += len(found.files)
        counts = archive.counts()
    p50, p95 = (statistics.quantiles(tally.times, n=20)[n] for n in (9, 18))
    return {
        "turns": counts.turns, "moments": moments, "files": tally.counts["files"],
        "index_cpu_seconds": round(taken, 1), "p50_ms": round(p50, 1), "p95_ms": round(p95, 1),
    }  # fmt: skip


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=71)
    parser.add_argument("--turns", type=int, default=0)
    options = parser.parse_args()
    if options.turns:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["DEJAVU_DATA_HOME"] = str(Path(folder, "data"))
            generator = random.Random(options.seed)
            print(json.dumps(large(Path(folder), options.turns, generator, options.moments)))
        return
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DEJAVU_DATA_HOME"] = str(Path(folder, "data"))
        for ask_one in (recorded, bare):
            tally = Tally()
            for number in range(-(-options.moments // _PER)):
                generator = random.Random(options.seed * 1000 + number)
                ask_one(Path(folder, f"{ask_one.__name__}-{number}"), generator, tally)
            figures[ask_one.__name__] = tally.figures()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
