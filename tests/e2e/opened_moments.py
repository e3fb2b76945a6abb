"""Help and menus that a person opens, and windows resized in mid-answer: no turn nobody said.

    RIG=... RIG_NPM=... python -m tests.e2e.opened_moments ROUNDS AGENT [AGENT ...]

Each round opens one thing of the agent's at rest, closes it, then has it answer slowly while the
window gets ten other sizes. The session is recorded; what is read from the recording and the keys,
as the wrapper tells both, is held against what was typed and scripted. Prints a table; 1 where a turn
was invented.
"""

import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.scrapers.turns import replay
from tests.e2e.fleet_agents import FleetAgents
from tests.e2e.live_agent import LiveAgent, own_fleet

from dejavu.model import NotFoundError, Role, Text
from dejavu.scrapers import SessionReader
from dejavu.sessions.delivery import NotAcceptedError, deliver
from dejavu.sessions.field_text import squeeze
from dejavu.sessions.send_input import press

OPENED = (
    ("menu of commands", ("/",)), ("help", ("/", "h", "e", "l", "p", "Enter")),
    ("shortcuts", ("?",)), ("files", ("@",)), ("transcript", ("C-o",)), ("palette", ("C-p",)),
)  # fmt: skip
SIZES = ((84, 26), (120, 36), (100, 30), (72, 24), (140, 40), (96, 34), (110, 24))
RESIZES = 10
_BYTES = {"Enter": b"\r", "Escape": b"\x1b", "Ctrl+U": b"\x15", "C-o": b"\x0f", "C-p": b"\x10"}
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
        self.keys_typed: list[tuple[float, bytes]] = []
        super().__init__(fleet, name, turns(rounds))

    def _ask(self) -> None:
        """Have this round's prompt delivered; by force where something is still open."""
        text = prompt(self.number)
        pasted = b"\x1b[200~" + text.encode() + b"\x1b[201~\r"
        self.keys_typed.append((time.time() - self.view.session.started_at, pasted))
        try:
            deliver(self.now(), text)
        except NotAcceptedError:
            self._press("Escape")
            time.sleep(0.5)
            self._press("Ctrl+U")
            self.keys_typed.append((time.time() - self.view.session.started_at, pasted))
            deliver(self.now(), text, force=True)

    def _press(self, key: str) -> None:
        self.keys_typed.append(
            (time.time() - self.view.session.started_at, _BYTES.get(key, key.encode()))
        )
        press(self.now(), [key])

    def round(self) -> None:
        """Open something, close it, ask, and resize while it answers."""
        self.rest(60)
        if not self.number:  # some look ready for a moment before they ask for trust
            time.sleep(3.0)
            self.rest(60)
        self._open()
        self.rest(20)
        self._ask()
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
            self._press(key)
            time.sleep(0.15)
        time.sleep(self.chance.uniform(0.3, 1.5))
        if self.chance.random() < 0.5:
            self.resize(*self.chance.choice(SIZES))
            time.sleep(0.4)
        self._press("Escape")
        time.sleep(0.6)
        self._press("Ctrl+U")
        time.sleep(0.3)


def read(cast: Path, agent: str, keys: list[tuple[float, bytes]]) -> SessionReader:
    """A recording read with the keys that were typed, at their moments of its clock."""
    head, *lines = cast.read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    events += [[at, "i", data.decode()] for at, data in keys]
    events.sort(key=lambda event: float(event[0]))
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".cast") as whole:
        whole.write("\n".join([head, *map(json.dumps, events)]))
        whole.flush()
        return replay(Path(whole.name), agent)


def invented(reader: SessionReader, prompts: list[str], answers: list[str]) -> Iterator[str]:
    """Turns of which no row was typed, or said by the model."""
    # An agent without such a command sends it to its model, which has no script for it.
    answers = [*answers, "The rig has no script for this prompt."]
    typed, scripted = set(map(squeeze, prompts)), squeeze(" ".join(answers))
    for turn in reader.turns:
        texts = [part.content for part in turn.parts if isinstance(part, Text)]
        if turn.role is Role.USER and squeeze("".join(texts)) not in typed:
            yield f"user: {' '.join(texts)[:100]!r}"
        rows = [squeeze(row) for text in texts for row in text.splitlines() if squeeze(row)]
        if turn.role is Role.ASSISTANT and rows and not any(row in scripted for row in rows):
            yield f"assistant: {' '.join(texts)[:100]!r}"


def play(fleet: FleetAgents, name: str, rounds: int, seed: int) -> tuple[str, list[str]]:
    """The table's row of an agent, and its invented turns."""
    run = Run(fleet, name, rounds, seed)
    cast = Path(os.environ["RECORD"]) / f"{name}@{run.version}-{int(run.begun)}.cast"
    try:
        while run.number < rounds:
            run.round()
        run.rest(60)
    except NotFoundError:
        pass  # what was opened ended the agent: what was read until then counts
    finally:
        with contextlib.suppress(NotFoundError):
            run.close()
    reader = read(cast, name, run.keys_typed)
    prompts = [prompt(number) for number in range(run.number + 1)]
    found = list(invented(reader, [*prompts, *run.typed], [said(n) for n in range(rounds)]))
    shown = {squeeze(turn.text) for turn in reader.turns if turn.role is Role.USER}
    read_well = len(shown & set(map(squeeze, prompts)))
    row = (
        f"| {name} | {rounds} | {run.resizes} | {read_well} | "
        f"{sum(one.startswith('user') for one in found)} | "
        f"{sum(one.startswith('assistant') for one in found)} | {len(reader.gaps)} |"
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
