"""Choices made for a real agent at random moments, and what it did then: the truth of `answer`.

    RIG=... RIG_NPM=... python -m tests.e2e.answer_moments CHOICES AGENT [AGENT ...]

Each round the scripted model asks to run two commands, each twice, to write files, or a question.
At each dialog the choice is made that was made least often so far, by its number or by words. Right
is nothing done after a refusal, one call after a choice for once, and one or more after one for
good. Prints a table; 1 where an effect was wrong. $OUT is a file that choices are appended to:
several runs, also at one time, give one table (`python -m tests.e2e.answer_tally FILE`). $MINUTES
ends a run.
"""

import json
import os
import random
import re
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.e2e.answer_tally import Choice, Tally, effect_of, table
from tests.e2e.fleet_agents import FleetAgents
from tests.e2e.live_agent import LiveAgent, own_fleet

from dejavu.model import DejavuError
from dejavu.sessions.answer import answer
from dejavu.sessions.delivery import NotAcceptedError, deliver
from dejavu.sessions.send_input import press
from dejavu.sessions.session_store import SessionView

MOMENTS = ("early", "at once", "late", "moved", "resized")
KINDS = ("run", "run", "write", "question")
QUESTIONS = {
    "claude": "AskUserQuestion", "gemini": "ask_user", "kimi": "AskUserQuestion",
    "opencode": "question", "qwen": "ask_user_question",
}  # fmt: skip
"""Agents with a tool that asks a person, and its name."""

NAMES = ("Amber", "Birch", "Cedar")
_ELSEWHERE = re.compile(r"(?i)editor|^other|type (something|your)|custom|own answer|chat about")
"""Choices that lead out of the dialog, into an editor or a text field: not tried here."""

_SEEN = 60.0  # seconds in which a scripted call must be asked about


_CALLS = 4
"""Calls that one turn asks for: of commands, two and each twice."""


def turns(rounds: int, project: Path) -> list[dict[str, Any]]:
    """A script that asks for a turn's calls one after the other."""
    made: list[dict[str, Any]] = []
    done = [{"text": "That is all."}]
    for number in range(rounds):
        runs = [
            [{"tool": "shell", "args": {"command": f"./do{number:04d} {part}"}}] for part in "aabb"
        ]
        writes = [
            [{"tool": "write", "args": {"path": str(path), "content": "made\n"}}]
            for path in _written(project, number)
        ]
        options = [{"label": f"{name}{number:04d}", "description": "a tree"} for name in NAMES]
        asked = {"question": f"Which tree is number {number:04d}?", "header": "Tree",
                 "options": options, "multiSelect": False, "type": "choice"}  # fmt: skip
        made += [
            {"user": f"run{number:04d}", "reply": [*runs, done]},
            {"user": f"write{number:04d}", "reply": [*writes, done]},
            *(
                {"user": f"{tool}{number:04d}",
                 "reply": [[{"tool": tool, "args": {"questions": [asked]}}], done]}
                for tool in dict.fromkeys(QUESTIONS.values())
            ),
        ]  # fmt: skip
    return made


def _written(project: Path, number: int) -> list[Path]:
    return [project / f"made{number:04d}{part}" for part in "abcd"[:_CALLS]]


class Run(LiveAgent):
    """One agent whose dialogs are answered."""

    def __init__(self, fleet: FleetAgents, name: str, rounds: int, seed: int) -> None:
        out = os.environ.get("OUT")
        self.chance, self.tally = random.Random(seed), Tally(Path(out) if out else None)
        self.number, self._allowed, self._choices = 0, set[str](), list[str]()
        self._unasked = set[str]() if name in QUESTIONS else {"question"}
        super().__init__(fleet, name, turns(rounds, fleet.base / "project"))
        self._played = self.requests.with_name("played.jsonl")
        for number in range(rounds):
            script = self.project / f"do{number:04d}"
            script.write_text(f"#!/bin/sh\necho ran >> {self.project}/made{number:04d}\n")
            script.chmod(0o755)

    def leave_dialog(self, view: SessionView) -> None:
        """Refuse what is asked, but for the folder's trust."""
        asked = view.status.blocked or {}
        for number, choice in enumerate(asked.get("choices") or (), 1):
            if asked.get("kind") != "trust" and effect_of(str(choice)) == "refused":
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
        """Have something asked, choose at each dialog, and judge what comes of each choice."""
        if not self.rest(40):
            now = self.now()
            self.tally.unfinished.append(f"{self.name}: {now.state} ({now.status}) for 40 s")
            self._begin_again()
            self.rest(40)
        self.empty()  # some put a refused prompt back
        self.number += 1
        can = [one for one in KINDS if one not in self._unasked]
        kind = self.chance.choice(can or ["run"])
        mark = QUESTIONS[self.name] if kind == "question" else kind
        try:
            deliver(self.now(), f"{mark}{self.number:04d}")
        except NotAcceptedError as error:
            self.tally.unfinished.append(f"{self.name}: prompt {error}")
            return
        chosen = self._choose(kind, self.chance.choice(MOMENTS))
        if chosen is None and kind not in self._allowed:
            self.tally.unasked += 1
            self._unasked |= {kind} - {one.dialog for one in self.tally.made}
        if chosen is None:
            self._begin_again()
        elif kind == "question":
            self.rest()
            self._add(chosen, self._question_fault(chosen.label))
        else:
            self._follow(kind, chosen)

    def _follow(self, kind: str, chosen: Choice | None) -> None:
        """Judge one choice after the other, to the end of the turn."""
        done, confirms = 0, False
        while chosen is not None:
            asked_again = self._is_asked_again()
            effect = effect_of(chosen.label)
            if confirms and effect == "once":
                effect = "for good"
            lasts = effect == "for good"
            confirms = lasts and not confirms and asked_again and self._is_other_dialog()
            if confirms:  # its effect is that of the next choice
                effect = "refused"
            now = self._done_after(kind, done + (effect != "refused"))
            right = now > done if effect == "for good" else now - done == (effect == "once")
            told = f"{effect}, but {now - done} of {_CALLS} done, asked again: {asked_again}"
            self._add(chosen, "" if right else told)
            if effect == "for good":
                self._allowed.add(kind)
            done = now
            chosen = self._choose(kind, self.chance.choice(MOMENTS[1:])) if asked_again else None
        if self.now().state == "blocked":
            self.leave_dialog(self.now())

    def _is_other_dialog(self) -> bool:
        """Whether what is asked now has other choices than what was asked before."""
        asked = self.now().status.blocked or {}
        return len(asked.get("choices") or self._choices) != len(self._choices)

    def _done_after(self, kind: str, expected: int) -> int:
        """How many calls had their effect: looked at once a slow machine has had time for it."""
        end = time.monotonic() + 5.0
        time.sleep(0.3)
        while self._done(kind) < expected and time.monotonic() < end:
            time.sleep(0.1)
        return self._done(kind)

    def _done(self, kind: str) -> int:
        """How many of the turn's calls have had their effect."""
        if kind == "write":
            return sum(path.exists() for path in _written(self.project, self.number))
        ran = self.project / f"made{self.number:04d}"
        return len(ran.read_text().splitlines()) if ran.exists() else 0

    def _choose(self, kind: str, moment: str) -> Choice | None:
        """Give one of the choices at a moment; None where nothing was asked."""
        if moment == "early" and (label := self._early()):
            return Choice(self._title, kind, label, "early", moment)
        asked = self._asked(kind, moment)
        if asked is None:
            return None
        self._choices = choices = [str(one) for one in asked["choices"]]
        can = [
            (self.tally.times(kind, one, way), self.chance.random(), n, way)
            for n, one in enumerate(choices)
            for way in ("number", "words")
            if not _ELSEWHERE.search(one)
        ]
        if not can:
            self.tally.unfinished.append(f"{self.name}, {moment}: no choices in {asked!r}")
            return None
        *_, at, way = min(can)
        wanted = choices[at] if way == "words" else str(at + int(asked.get("first", 1)))
        made = Choice(self._title, kind, choices[at], way, moment)
        end = time.monotonic() + _SEEN
        while time.monotonic() < end:
            try:
                label = self._answer(moment, wanted)
            except NotAcceptedError as error:
                self.tally.refusals[f"entered, not taken: {error}"] += 1
                return made
            except DejavuError as error:
                self.tally.refusals[str(error)] += 1
                time.sleep(0.5)
                continue
            # A label may grow while its dialog is drawn.
            if not (label.startswith(choices[at]) or choices[at].startswith(label)):
                return replace(made, fault=f"it says {label!r}")
            return replace(made, label=label)
        self.tally.unfinished.append(f"{made}: {self.tally.refusals}")
        return None

    @property
    def _title(self) -> str:
        return f"{self.name} {self.version}"

    def _early(self) -> str:
        """Choose before the dialog could be read; what was taken, if it was there after all."""
        for _ in range(self.chance.randint(1, 6)):
            try:
                label = answer(self.now(), self.chance.choice(("1", "2", "3", "No", "Yes")))
            except DejavuError:
                time.sleep(self.chance.uniform(0.0, 0.4))
            else:
                return label
        return ""

    def _asked(self, kind: str, moment: str) -> dict[str, Any] | None:
        """Wait for a dialog whose choices are read."""
        end, rested = time.monotonic() + _SEEN, 0
        while time.monotonic() < end:
            view = self.now()
            blocked = view.status.blocked if view.state == "blocked" else None
            if blocked and blocked.get("choices"):
                break
            rested = rested + 1 if view.state in ("idle", "done", "error", "exited") else 0
            if self._done(kind) == _CALLS or rested > 100:  # allowed before, or over
                return None
            time.sleep(0.05)
        else:
            return None
        if moment == "late":
            time.sleep(self.chance.uniform(0.0, 3.0))
        return self.now().status.blocked

    def _add(self, chosen: Choice, fault: str) -> None:
        """Note a choice, and for a wrong effect when in the session's recording it was seen."""
        fault = ", ".join(filter(None, (chosen.fault, fault)))
        if fault and self.view.session.started_at:
            fault += f", seen at {time.time() - self.view.session.started_at:.1f} s"
        self.tally.add(replace(chosen, fault=fault and f"{chosen}: {fault}"))

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
        self._allowed.clear()
        self.close()
        self.begin()

    # -- the truth

    def _is_asked_again(self) -> bool:
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

    def _question_fault(self, label: str) -> str:
        """What is wrong with what the model was told: the chosen label is wanted, and no other."""
        names = [f"{name}{self.number:04d}" for name in NAMES]
        told = {name for text in self._results() for name in names if name in text}
        wanted = {name for name in names if name in label}
        wrong = told - wanted or (wanted and not told)
        return f"the model was told {told}" if wrong else ""

    def _results(self) -> Sequence[str]:
        lines = self._played.read_text("utf-8").splitlines() if self._played.exists() else []
        return [text for line in lines for text in json.loads(line)["results_seen"]]


def play(fleet: FleetAgents, name: str, choices: int, seed: int) -> Tally:
    """Answer one agent's dialogs that often, and judge each."""
    run = Run(fleet, name, choices, seed)
    limit = time.monotonic() + 60.0 * float(os.environ.get("MINUTES", "600"))
    try:
        while len(run.tally.made) < choices and run.tally.unasked < choices // 2 + 2:
            if time.monotonic() > limit or run.number >= choices - 1:
                break
            run.round()
            if os.environ.get("VERBOSE"):
                print(run.number, len(run.tally.made), file=sys.stderr, flush=True)  # noqa: T201 - asked for
        return run.tally
    finally:
        run.close()


def main() -> int:
    """Play the agents one after the other; 1 where a choice had another's effect."""
    choices, names = int(sys.argv[1]), sys.argv[2:]
    seed = int(os.environ.get("SEED", "1"))
    made: list[Choice] = []
    with own_fleet(Path(os.environ["RIG"])) as fleet:
        for name in names:
            tally = play(fleet, name, choices, seed)
            made += tally.made
            for reason, count in tally.refusals.most_common():
                print(f"  {count} x {reason}", file=sys.stderr)  # noqa: T201 - a command
            print(*tally.unfinished, f"not asked: {tally.unasked}", sep="\n", file=sys.stderr)  # noqa: T201 - a command
    print(table(made))  # noqa: T201 - a command
    faults = [one.fault for one in made if one.fault]
    print(*faults, sep="\n")  # noqa: T201 - a command
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
