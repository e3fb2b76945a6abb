"""Texts handed to a real agent at random moments, and what its model got: the truth of a receipt.

    RIG_NPM=... python -m tests.e2e.receipt_moments SENDS AGENT [AGENT ...]

Prints a table by agent. A prompt counts as arrived when the scripted model was asked with it, whole.
"""

import json
import os
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.fleet_agents import FleetAgents
from tests.e2e.live_agent import LiveAgent, own_fleet

from dejavu.sessions.delivery import NotAcceptedError, Receipt, deliver
from dejavu.sessions.field_text import squeeze

MOMENTS = (
    "rest", "rest", "rest", "paste", "working", "working", "working paste", "dialog",
    "draft", "draft that goes", "resize", "random", "random", "queue",
)  # fmt: skip
_WORDS = [
    "the",
    "parser",
    "reads",
    "each",
    "line",
    "of",
    "input",
    "and",
    "counts",
    "words",
    "that",
    "begin",
    "with",
    "a",
    "vowel",
]
_LATE = 25.0  # seconds after which a prompt that has not reached the model will not do so


def turns(sends: int) -> list[dict[str, Any]]:
    """A script that answers every mark: at once, slowly, or with a command that needs leave."""
    quick = [[{"text": "It is done."}]]
    slow = [[{"text": "I look at it, and then at the rest. " * 8, "cps": 60}]]
    call = {"tool": "shell", "args": {"command": "touch made-by-the-agent"}}
    asks = [[{"text": "I make it."}, call], [{"text": "Made."}]]
    return [
        {"user": f"{kind}{number:04d}", "reply": reply}
        for number in range(sends * 2)
        for kind, reply in (("quick", quick), ("slow", slow), ("asks", asks))
    ]


@dataclass
class Tally:
    """What was claimed of one agent's sends, and what was true."""

    moments: Counter[str] = field(default_factory=Counter[str])
    by: Counter[str] = field(default_factory=Counter[str])
    seconds: list[float] = field(default_factory=list[float])
    accepted: int = 0
    refused: int = 0
    false_accepted: list[str] = field(default_factory=list[str])
    false_refused: list[str] = field(default_factory=list[str])
    drafts_lost: list[str] = field(default_factory=list[str])
    drafts: int = 0

    def row(self, name: str) -> str:
        middle = sorted(self.seconds)[len(self.seconds) // 2] if self.seconds else 0.0
        how = ", ".join(f"{key} {count}" for key, count in sorted(self.by.items()))
        return (
            f"| {name} | {sum(self.moments.values())} | {self.accepted} | {self.refused} | "
            f"{len(self.false_accepted)} | {len(self.false_refused)} | "
            f"{len(self.drafts_lost)} of {self.drafts} | {middle:.1f} s | {how} |"
        )

    @property
    def faults(self) -> list[str]:
        return [*self.false_accepted, *self.false_refused, *self.drafts_lost]


HEAD = (
    "| agent | sends | accepted | refused | false accepted | false not accepted | drafts lost "
    "| median | seen by |\n|---|---|---|---|---|---|---|---|---|"
)


class Run(LiveAgent):
    """One agent to which texts are sent, and what was claimed of each."""

    def __init__(self, fleet: FleetAgents, name: str, sends: int, seed: int) -> None:
        super().__init__(fleet, name, turns(sends))
        self.chance, self.tally, self._number = random.Random(seed), Tally(), 0
        self._claims: list[tuple[str, str, Receipt, float]] = []

    # -- texts

    def text(self, kind: str, lines: int = 1) -> str:
        self._number += 1
        mark = f"{kind}{self._number:04d}"
        pick = lambda: " ".join(self.chance.choices(_WORDS, k=self.chance.randint(3, 9)))  # noqa: E731 - one line, used here alone
        body = [pick() for _ in range(lines)]
        body[0] = f"{mark} {body[0]}"
        return "\n".join([*body[:-1], f"{body[-1]} end{self._number:04d}"])

    def deliver(self, moment: str, text: str, **options: Any) -> Receipt:
        began = time.monotonic()
        self.tally.moments[moment] += 1
        try:
            receipt = deliver(self.now(), text, **options)
        except NotAcceptedError as error:
            receipt = error.receipt
        self.tally.seconds.append(time.monotonic() - began)
        self._claims.append((moment, text, receipt, time.monotonic()))
        return receipt

    # -- moments

    def moment(self, name: str) -> None:
        self.rest()
        self.empty()
        getattr(self, f"_at_{name.replace(' ', '_')}")()
        if not self.field():
            return
        if name != "draft":
            self.empty()

    def _at_rest(self) -> None:
        self.deliver("rest", self.text("quick"))

    def _at_paste(self) -> None:
        self.deliver("paste", self.text("quick", 60))

    def _busy(self) -> None:
        self.deliver("rest", self.text("slow"))
        time.sleep(self.chance.uniform(0.0, 2.0))

    def _at_working(self) -> None:
        self._busy()
        self.deliver("working", self.text("quick", self.chance.choice((1, 1, 3))))

    def _at_working_paste(self) -> None:
        self._busy()
        self.deliver("working paste", self.text("quick", 60))

    def _at_dialog(self) -> None:
        self.deliver("rest", self.text("asks"))
        end = time.monotonic() + 20
        while self.now().state != "blocked" and time.monotonic() < end:
            time.sleep(0.1)
        self.deliver("dialog", self.text("quick"))

    def _draft(self) -> str:
        draft = " ".join(self.chance.choices(_WORDS, k=self.chance.randint(1, 6)))
        for letter in draft:
            self.keys(letter.encode())
            time.sleep(self.chance.uniform(0.0, 0.02))
        if self.chance.random() < 0.3:
            self.keys(b"\x01")
        end = time.monotonic() + 10
        while squeeze(self.field()) != squeeze(draft) and time.monotonic() < end:
            time.sleep(0.1)
        return draft

    def _at_draft(self) -> None:
        draft = self._draft()
        self.deliver("draft", self.text("quick"))
        time.sleep(0.3)
        self._kept(draft)
        self.empty()

    def _kept(self, draft: str) -> None:
        self.tally.drafts += 1
        if squeeze(self.field()) != squeeze(draft):
            self.tally.drafts_lost.append(f"{self.name}: {draft!r} became {self.field()!r}")

    def _at_draft_that_goes(self) -> None:
        draft = self._draft()
        before = time.monotonic()

        def later() -> None:
            time.sleep(1.5)
            self._kept(draft)
            self.keys(b"\x05")
            time.sleep(0.1)
            self.keys(b"\x7f" * len(draft))  # its own letters, and none of what comes after

        person = threading.Thread(target=later)
        person.start()
        self.deliver("draft that goes", self.text("quick"), wait=True, timeout=40)
        person.join()
        assert time.monotonic() - before > 1.5, "it did not wait"

    def _resizing(self, act: Callable[[], object]) -> None:
        def later() -> None:
            time.sleep(self.chance.uniform(0.0, 0.8))
            columns, lines = self.chance.choice(((84, 26), (120, 36), (100, 30), (96, 34)))
            self.resize(columns, lines)

        person = threading.Thread(target=later)
        person.start()
        act()
        person.join()

    def _at_resize(self) -> None:
        self._resizing(
            lambda: self.deliver("resize", self.text("quick", self.chance.choice((1, 60))))
        )

    def _at_random(self) -> None:
        self.deliver("rest", self.text(self.chance.choice(("slow", "quick", "asks"))))
        time.sleep(self.chance.uniform(0.0, 6.0))
        lines = self.chance.choice((1, 2, 12, 60))
        self.deliver("random", self.text("quick", lines))

    def _at_queue(self) -> None:
        self._busy()
        self.deliver("queue", self.text("quick"), queue=True, timeout=60)

    # -- the truth

    def judge(self) -> Tally:
        """Compare every receipt with what the model was asked."""
        self.rest()
        last = self._claims[-1][3] if self._claims else 0.0
        time.sleep(max(0.0, min(_LATE, last + _LATE - time.monotonic())))
        asked = squeeze(self._asked())
        for moment, text, receipt, _ in self._claims:
            came = squeeze(text) in asked
            part = squeeze(text)[:9] in asked
            told = f"{self.name}, {moment}: {text[:30]!r} ({len(text)}): {tuple(receipt)}"
            if receipt.accepted:
                self.tally.accepted += 1
                self.tally.by[receipt.by] += 1
                if not came:
                    self.tally.false_accepted.append(
                        f"{told}; {'a part' if part else 'nothing'} came"
                    )
            else:
                self.tally.refused += 1
                if part:
                    self.tally.false_refused.append(f"{told}; it came")
        return self.tally

    def _asked(self) -> str:
        """Every text of every request."""
        found: list[str] = []

        def walk(value: Any) -> None:
            if isinstance(value, str):
                found.append(value)
            elif isinstance(value, dict):
                for one in value.values():
                    walk(one)
            elif isinstance(value, list):
                for one in value:
                    walk(one)

        lines = self.requests.read_text("utf-8").splitlines() if self.requests.exists() else []
        for line in lines:
            walk(json.loads(line))
        return re.sub(r"\u0000", " ", "\n".join(dict.fromkeys(found)))


def play(fleet: FleetAgents, name: str, sends: int, seed: int) -> Tally:
    """Send `sends` texts to one agent and judge them."""
    run = Run(fleet, name, sends, seed)
    try:
        if not run.rest():
            raise RuntimeError(f"{name} did not come to rest")
        while sum(run.tally.moments.values()) < sends:
            run.moment(run.chance.choice(MOMENTS))
        return run.judge()
    finally:
        run.close()


def main() -> int:
    """Play the agents one after the other; 1 where a receipt was wrong."""
    sends, names = int(sys.argv[1]), sys.argv[2:]
    seed = int(os.environ.get("SEED", "1"))
    faults: list[str] = []
    with own_fleet(Path(os.environ["RIG"])) as fleet:
        print(HEAD)  # noqa: T201 - a command
        for name in names:
            tally = play(fleet, name, sends, seed)
            print(tally.row(name), flush=True)  # noqa: T201 - a command
            faults += tally.faults
    for fault in faults:
        print(fault)  # noqa: T201 - a command
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
