"""Choices made for a real agent at random moments, and what it did then: the truth of `answer`.

    RIG=... RIG_NPM=... python -m tests.e2e.answer_moments ROUNDS AGENT [AGENT ...]

Each round the scripted model asks to run a command, to write a file, or a question. One of the
choices that are read is given, by its number or by words. The same command is asked for twice, so
a choice for once differs from one for good. Prints a table by agent; 1 where an effect was wrong.
"""

import json
import os
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.fleet_agents import FleetAgents
from tests.e2e.live_agent import LiveAgent, own_fleet

from dejavu.model import DejavuError
from dejavu.sessions.answer import answer
from dejavu.sessions.delivery import NotAcceptedError, deliver
from dejavu.sessions.send_input import press
from dejavu.sessions.session_store import SessionView

MOMENTS = ("at once", "early", "late", "moved", "resized")
KINDS = ("run", "run", "write", "question")
QUESTIONS = {
    "claude": "AskUserQuestion", "gemini": "ask_user", "kimi": "AskUserQuestion",
    "opencode": "question", "qwen": "ask_user_question",
}  # fmt: skip
"""Agents with a tool that asks a person, and its name."""

NAMES = ("Amber", "Birch", "Cedar")
_REFUSES = re.compile(r"(?i)^(no\b|reject|deny|cancel|decline|don.t\b|suggest|refuse)")
_FOR_GOOD = re.compile(
    r"(?i)always|don.t ask|again|for (this|the) (session|conversation)|all edits|future|commands that start"
)
_ELSEWHERE = re.compile(r"(?i)editor|^other|type (something|your)|custom|own answer|chat about")
"""Choices that lead out of the dialog, into an editor or a text field: not tried here."""

_SEEN = 60.0  # seconds in which a scripted call must be asked about


def turns(rounds: int, project: Path) -> list[dict[str, Any]]:
    """A script that asks the same thing twice at every mark."""
    made: list[dict[str, Any]] = []
    for number in range(rounds * 3):
        run = {"tool": "shell", "args": {"command": f"./do{number:04d}"}}
        writes = [
            {
                "tool": "write",
                "args": {"path": f"{project}/made{number:04d}{end}", "content": "made\n"},
            }
            for end in ("", "b")
        ]
        options = [{"label": f"{name}{number:04d}", "description": "a tree"} for name in NAMES]
        asked = {"question": f"Which tree is number {number:04d}?", "header": "Tree",
                 "options": options, "multiSelect": False, "type": "choice"}  # fmt: skip
        done = [{"text": "That is all."}]
        made += [
            {"user": f"run{number:04d}", "reply": [[{"text": "I run it."}, run], [run], done]},
            {"user": f"write{number:04d}", "reply": [[writes[0]], [writes[1]], done]},
            *(
                {"user": f"{tool}{number:04d}",
                 "reply": [[{"tool": tool, "args": {"questions": [asked]}}], done]}
                for tool in dict.fromkeys(QUESTIONS.values())
            ),
        ]  # fmt: skip
    return made


@dataclass
class Tally:
    """What was chosen of one agent's dialogs, and what came of it."""

    choices: Counter[str] = field(default_factory=Counter[str])
    seconds: list[float] = field(default_factory=list[float])
    refusals: Counter[str] = field(default_factory=Counter[str])
    unasked: int = 0
    wrong: list[str] = field(default_factory=list[str])
    unfinished: list[str] = field(default_factory=list[str])

    def row(self, name: str) -> str:
        """This agent's row of the table."""
        middle = sorted(self.seconds)[len(self.seconds) // 2] if self.seconds else 0.0
        kinds = ", ".join(f"{key} {count}" for key, count in sorted(self.choices.items()))
        return (
            f"| {name} | {sum(self.choices.values())} | {kinds} | {len(self.wrong)} | "
            f"{sum(self.refusals.values())} | {len(self.unfinished)} | {self.unasked} | {middle:.1f} s |"
        )


HEAD = (
    "| agent | chosen | which | wrong | refused, asked again | never taken | not asked | median |\n"
    "|---|---|---|---|---|---|---|---|"
)


class Run(LiveAgent):
    """One agent whose dialogs are answered."""

    def __init__(self, fleet: FleetAgents, name: str, rounds: int, seed: int) -> None:
        self.chance, self.tally, self.number = random.Random(seed), Tally(), 0
        super().__init__(fleet, name, turns(rounds, fleet.base / "project"))
        self._played = self.requests.with_name("played.jsonl")
        for number in range(rounds * 3):
            script = self.project / f"do{number:04d}"
            script.write_text(f"#!/bin/sh\necho ran >> {self.project}/made{number:04d}\n")
            script.chmod(0o755)

    def leave_dialog(self, view: SessionView) -> None:
        """Refuse what is asked, but for the folder's trust."""
        asked = view.status.blocked or {}
        for number, choice in enumerate(asked.get("choices") or (), 1):
            if asked.get("kind") != "trust" and _REFUSES.search(str(choice)):
                try:
                    answer(view, str(number), asked=asked)
                except DejavuError:
                    break
                return
        if asked.get("kind") == "trust":
            super().leave_dialog(view)
        elif self.now().state == "blocked":
            press(view, ["Escape"])
            time.sleep(1.0)

    # -- one round

    def round(self) -> None:
        """Have something asked, choose, and judge what comes of it."""
        if not self.rest(40):
            now = self.now()
            self.tally.unfinished.append(f"{self.name}: {now.state} ({now.status}) for 40 s")
            self._begin_again()
            self.rest(40)
        self.empty()  # some put a refused prompt back
        self.number += 1
        kind = self.chance.choice(KINDS)
        if kind == "question" and self.name not in QUESTIONS:
            kind = "run"
        mark = QUESTIONS[self.name] if kind == "question" else kind
        try:
            deliver(self.now(), f"{mark}{self.number:04d}")
        except NotAcceptedError as error:
            self.tally.unfinished.append(f"{self.name}: prompt {error}")
            return
        chosen = self._choose(self.chance.choice(MOMENTS))
        if chosen is None:
            return
        label, how = chosen
        if kind == "question":
            self.rest()
            self._judge_question(label, how)
        else:
            self._judge_call(kind, label, how)

    def _choose(self, moment: str) -> tuple[str, str] | None:
        """Give one of the choices at a moment: its label, and how; None where nothing was asked."""
        if moment == "early" and (label := self._early()):
            return label, f"early: {label}"
        asked = self._asked(moment)
        if asked is None:
            self.tally.unasked += 1
            self._begin_again()
            return None
        choices = [str(one) for one in asked["choices"]]
        can = [n for n, one in enumerate(choices) if not _ELSEWHERE.search(one)]
        if not can:
            self.tally.unfinished.append(f"{self.name}, {moment}: no choices in {asked!r}")
            return None
        at = self.chance.choice(can)
        by_words = self.chance.random() < 0.5
        wanted = choices[at] if by_words else str(at + int(asked.get("first", 1)))
        how = f"{moment}, {wanted!r} of {choices}"
        end = time.monotonic() + _SEEN
        while time.monotonic() < end:
            began = time.monotonic()
            try:
                label = self._answer(moment, wanted)
            except NotAcceptedError as error:
                self.tally.refusals[f"entered, not taken: {error}"] += 1
                return choices[at], how
            except DejavuError as error:
                self.tally.refusals[str(error)] += 1
                time.sleep(0.5)
                continue
            self.tally.seconds.append(time.monotonic() - began)
            self.tally.choices[_class(label)] += 1
            # A label may grow while its dialog is drawn.
            if not (label.startswith(choices[at]) or choices[at].startswith(label)):
                self._fault(f"{how}: it says {label!r}")
            return label, how
        self.tally.unfinished.append(f"{self.name}, {how}: {self.tally.refusals}")
        return None

    def _early(self) -> str:
        """Choose before the dialog could be read; what was taken, if it was there after all."""
        for _ in range(self.chance.randint(1, 6)):
            try:
                label = answer(self.now(), self.chance.choice(("1", "2", "3", "No", "Yes")))
            except DejavuError:
                time.sleep(self.chance.uniform(0.0, 0.4))
            else:
                self.tally.choices[_class(label)] += 1
                return label
        return ""

    def _asked(self, moment: str) -> dict[str, Any] | None:
        """Wait for a dialog whose choices are read."""
        end = time.monotonic() + _SEEN
        while time.monotonic() < end:
            view = self.now()
            blocked = view.status.blocked if view.state == "blocked" else None
            if blocked and blocked.get("choices"):
                break
            time.sleep(0.02)
        else:
            return None
        if moment == "late":
            time.sleep(self.chance.uniform(0.0, 3.0))
        return self.now().status.blocked

    def _fault(self, what: str) -> None:
        """Note a wrong effect, and when in the session's recording it was seen."""
        at = (
            f" (at {time.time() - self.view.session.started_at:.1f} s)"
            if self.view.session.started_at
            else ""
        )
        self.tally.wrong.append(f"{self.name}, {what}{at}")

    def _answer(self, moment: str, wanted: str) -> str:
        """Answer, while a person moves the pointer or the window where the moment says so."""
        if moment == "moved":
            press(
                self.now(),
                [self.chance.choice(("Down", "Up"))] * self.chance.randint(1, 3),
                pause=0.05,
            )
        if moment != "resized":
            return answer(self.now(), wanted)

        def later() -> None:
            time.sleep(self.chance.uniform(0.0, 0.8))
            self.resize(*self.chance.choice(((84, 26), (120, 36), (100, 30), (96, 34))))

        person = threading.Thread(target=later)
        person.start()
        try:
            return answer(self.now(), wanted)
        finally:
            person.join()

    def _begin_again(self) -> None:
        """A new session: what was allowed for good is asked again."""
        self.close()
        self.begin()

    # -- the truth

    def _judge_call(self, kind: str, label: str, how: str) -> None:
        """Compare what was allowed with what was done, once the second call is asked about or over."""
        asked_again = self._second()
        time.sleep(0.3)
        first = self.project / f"made{self.number:04d}"
        second = first if kind == "run" else first.with_name(f"{first.name}b")
        done = len(first.read_text().splitlines()) if first.exists() else 0
        if kind == "write":
            done = first.exists() + second.exists()
        expected = {"refused": {0}, "once": {1}, "for good": {2}}[_class(label)]
        if _class(label) == "for good" and asked_again:
            expected = {1}  # it holds for less than the second call: asked again, and not done
        if done not in expected:
            self._fault(
                f"{kind}{self.number:04d}, {how}: done {done} times, asked again: {asked_again}"
            )
        if self.now().state == "blocked":
            self.leave_dialog(self.now())
        if _class(label) == "for good":
            self._begin_again()

    def _second(self) -> bool:
        """Wait until the turn is over (False) or asks once more (True)."""
        end, rested = time.monotonic() + 40, 0
        while time.monotonic() < end:
            view = self.now()
            if view.state == "blocked" and (view.status.blocked or {}).get("choices"):
                return True
            rested = rested + 1 if view.state in ("idle", "done", "error", "exited") else 0
            if rested > 6:
                return False
            time.sleep(0.15)
        return False

    def _judge_question(self, label: str, how: str) -> None:
        """Look for the chosen label, and for no other, in what the model was told."""
        names = [f"{name}{self.number:04d}" for name in NAMES]
        told = {name for text in self._results() for name in names if name in text}
        wanted = {name for name in names if name in label}
        if told - wanted or (wanted and not told):
            self._fault(f"question {how}: the model was told {told}")

    def _results(self) -> Sequence[str]:
        lines = self._played.read_text("utf-8").splitlines() if self._played.exists() else []
        return [text for line in lines for text in json.loads(line)["results_seen"]]


def _class(label: str) -> str:
    if _REFUSES.search(label):
        return "refused"
    return "for good" if _FOR_GOOD.search(label) else "once"


def play(fleet: FleetAgents, name: str, rounds: int, seed: int) -> Tally:
    """Answer one agent's dialogs that often, and judge each."""
    run = Run(fleet, name, rounds, seed)
    limit = time.monotonic() + 60.0 * float(os.environ.get("MINUTES", "600"))
    try:
        while sum(run.tally.choices.values()) < rounds and run.tally.unasked < rounds // 2 + 2:
            if time.monotonic() > limit or run.number >= rounds * 3 - 1:
                break
            run.round()
            if os.environ.get("VERBOSE"):
                print(run.number, run.tally, file=sys.stderr, flush=True)  # noqa: T201 - asked for
        return run.tally
    finally:
        run.close()


def main() -> int:
    """Play the agents one after the other; 1 where a choice had another's effect."""
    rounds, names = int(sys.argv[1]), sys.argv[2:]
    seed = int(os.environ.get("SEED", "1"))
    faults: list[str] = []
    with own_fleet(Path(os.environ["RIG"])) as fleet:
        print(HEAD)  # noqa: T201 - a command
        for name in names:
            tally = play(fleet, name, rounds, seed)
            print(tally.row(name), flush=True)  # noqa: T201 - a command
            for reason, count in tally.refusals.most_common():
                print(f"  {count} x {reason}", file=sys.stderr)  # noqa: T201 - a command
            print(*tally.unfinished, sep="\n", file=sys.stderr)  # noqa: T201 - a command
            faults += tally.wrong
    for fault in faults:
        print(fault)  # noqa: T201 - a command
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
