"""Help and menus that a person opens, and windows resized in mid-answer: no turn nobody said.

    RIG=... RIG_NPM=... python -m tests.e2e.opened_moments ROUNDS AGENT [AGENT ...]

Each round opens one thing of the agent's at rest, closes it, then has it answer slowly while the
window gets ten other sizes. The session is recorded; what is read from the recording alone, without
the keys, is held against what was typed and scripted. Prints a table; 1 where a turn was invented.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.e2e.fleet_agents import FleetAgents
from tests.e2e.live_agent import LiveAgent, own_fleet

from dejavu.sessions.delivery import NotAcceptedError, deliver
from dejavu.sessions.field_text import squeeze
from dejavu.sessions.send_input import press

OPENED = (
    ("menu of commands", ("/",)), ("help", ("/", "h", "e", "l", "p", "Enter")),
    ("shortcuts", ("?",)), ("files", ("@",)), ("transcript", ("C-o",)), ("palette", ("C-p",)),
)  # fmt: skip
SIZES = ((84, 26), (120, 36), (100, 30), (72, 24), (140, 40), (96, 34), (110, 24))
RESIZES = 10
_TREES = ["amber", "birch", "cedar", "damson", "elder", "fir", "gorse", "hazel", "ivy", "juniper"]

HEAD = (
    "| agent | rounds | resizes | prompts read | prompts nobody typed | answers nobody gave | gaps |\n"
    "|---|---|---|---|---|---|---|"
)


def said(number: int) -> str:
    """The answer of a round: rows that no other round has."""
    return "\n\n".join(
        f"Row {number}-{row}: the {tree} was planted in year {1900 + 7 * number + row}, and it grows."
        for row, tree in enumerate(_TREES)
    )


def turns(rounds: int) -> list[dict[str, Any]]:
    """A script whose answers take some seconds."""
    return [
        {"user": prompt(number), "reply": [[{"text": said(number), "cps": 110}]]}
        for number in range(rounds)
    ]


def prompt(number: int) -> str:
    """What is typed in a round."""
    return f"Tell me about planting{number:03d}."


class Run(LiveAgent):
    """One agent in which things are opened, and whose window changes."""

    def __init__(self, fleet: FleetAgents, name: str, rounds: int, seed: int) -> None:
        self.chance, self.number, self.resizes, self.typed = random.Random(seed), 0, 0, [""]
        super().__init__(fleet, name, turns(rounds))

    def round(self) -> None:
        """Open something, close it, ask, and resize while it answers."""
        self.rest(60)
        self._open()
        self.rest(20)
        try:
            deliver(self.now(), prompt(self.number))
        except NotAcceptedError:
            self.keys(b"\x1b")
            time.sleep(0.5)
            self.keys(b"\x15")
            deliver(self.now(), prompt(self.number), force=True)
        for _ in range(RESIZES):
            self.resize(*self.chance.choice(SIZES))
            self.resizes += 1
            time.sleep(self.chance.uniform(0.1, 0.9))
        self.resize(100, 30)
        self.number += 1

    def _open(self) -> None:
        what, keys = self.chance.choice(OPENED)
        if "Enter" in keys:
            self.typed.append(f"/{what}")
        for key in keys:
            press(self.now(), [key])
            time.sleep(0.15)
        time.sleep(self.chance.uniform(0.3, 1.5))
        if self.chance.random() < 0.5:
            self.resize(*self.chance.choice(SIZES))
            time.sleep(0.4)
        press(self.now(), ["Escape"])
        time.sleep(0.6)
        press(self.now(), ["Ctrl+U"])
        time.sleep(0.3)


def read(cast: Path, agent: str) -> dict[str, Any]:
    """The turns and gaps that a recording shows, as the command prints them."""
    done = subprocess.run(
        [sys.executable, "-m", "dejavu", "replay", str(cast), "--agent", agent,
         "--json"], capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def invented(document: dict[str, Any], prompts: list[str], answers: list[str]) -> Iterator[str]:
    """Turns of which no row was typed, or said by the model."""
    typed, scripted = set(map(squeeze, prompts)), squeeze(" ".join(answers))
    for turn in document["turns"]:
        texts = [part["content"] for part in turn["parts"] if part["type"] == "text"]
        if turn["role"] == "user" and squeeze("".join(texts)) not in typed:
            yield f"user: {' '.join(texts)[:100]!r}"
        rows = [squeeze(row) for text in texts for row in text.splitlines() if squeeze(row)]
        if turn["role"] == "assistant" and rows and not any(row in scripted for row in rows):
            yield f"assistant: {' '.join(texts)[:100]!r}"


def play(fleet: FleetAgents, name: str, rounds: int, seed: int) -> tuple[str, list[str]]:
    """The table's row of an agent, and its invented turns."""
    run = Run(fleet, name, rounds, seed)
    cast = Path(os.environ["RECORD"]) / f"{name}@{run.version}-{int(run.begun)}.cast"
    try:
        while run.number < rounds:
            run.round()
        run.rest(60)
    finally:
        run.close()
    document = read(cast, name)
    prompts = [prompt(number) for number in range(rounds)]
    found = list(invented(document, [*prompts, *run.typed], [said(n) for n in range(rounds)]))
    users = [turn for turn in document["turns"] if turn["role"] == "user"]
    read_well = len({squeeze(p) for p in prompts} & {
        squeeze("".join(part.get("content", "") for part in turn["parts"])) for turn in users
    })  # fmt: skip
    row = (
        f"| {name} | {rounds} | {run.resizes} | {read_well} | "
        f"{sum(one.startswith('user') for one in found)} | "
        f"{sum(one.startswith('assistant') for one in found)} | {len(document['gaps'])} |"
    )
    return row, [f"{name}: {one} ({cast})" for one in found]


def main() -> int:
    """Play the agents one after the other; 1 where a turn was invented."""
    rounds, names = int(sys.argv[1]), sys.argv[2:]
    faults: list[str] = []
    with own_fleet(Path(os.environ["RIG"])) as fleet, tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("RECORD", folder)
        print(HEAD)  # noqa: T201 - a command
        for name in names:
            row, found = play(fleet, name, rounds, int(os.environ.get("SEED", "1")))
            print(row, flush=True)  # noqa: T201 - a command
            faults += found
    for fault in faults:
        print(fault)  # noqa: T201 - a command
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
