"""The hand-written sets, sessions and questions, and noise to hide them in.

`heldout`, `work` and `once` are for the score and nothing is tuned on them; weights and thresholds are
chosen by `hand` and `workshop`, and by the templates of `corpus.py`.
"""

import tomllib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.recall.corpus import DAY, START, Corpus, Question, Session
from benchmarks.recall.routine import routine

SETS = {
    "heldout": "heldout.toml",
    "work": "heldout_work.toml",
    "once": "heldout_once.toml",
    "hand": "development.toml",
    "workshop": "workshop.toml",
}
"""The files by the name of the set; the first three are held out."""
HELD_OUT = ("heldout", "work", "once")


class HandWritten:
    """The sessions and questions of one file."""

    def __init__(self, name: str) -> None:
        """Read `name` beside this file."""
        self._data = tomllib.loads((Path(__file__).parent / name).read_text("utf-8"))

    def sessions(self) -> list[Session]:
        """The sessions, as the benchmark's own records."""
        made = []
        for one in self._data["session"]:
            said: list[tuple[str, str, dict[str, Any] | None]] = []
            for prompt, answer, *tool in one["said"]:
                said.append(("user", prompt, None))
                if tool:
                    name, argument, output = tool
                    key = "command" if name == "Bash" else "file_path"
                    said.append(("assistant", "", {key: argument}))
                    said.append(("tool", output, None))
                said.append(("assistant", answer, None))
            at = START + one["day"] * DAY
            made.append(Session(one["id"], one["agent"], one["workspace"], at, said))
        return made

    def without(self, texts: Collection[str]) -> list[Session]:
        """The sessions without the exchanges that hold one of these answers."""
        left = []
        for session in self.sessions():
            exchanges: list[list[tuple[str, str, dict[str, Any] | None]]] = []
            for one in session.said:
                if one[0] == "user":
                    exchanges.append([])
                exchanges[-1].append(one)
            kept = [said for said in exchanges if not any(text in texts for _, text, _ in said)]
            left.append(replace(session, said=[one for said in kept for one in said]))
        return [session for session in left if session.said]

    def questions(self, *, reworded: bool = False) -> list[Question]:
        """The questions, in one of their two wordings; gold and stale by the answers' texts."""
        return [
            Question(
                one["kind"],
                one.get("reworded", one["ask"]) if reworded else one["ask"],
                one["workspace"],
                tuple(self._answer(ref) for ref in one.get("gold", ())),
                tuple(self._answer(ref) for ref in one.get("stale", ())),
            )
            for one in self._data["question"]
        ]  # fmt: skip

    def noise(self, count: int) -> Iterator[Session]:
        """So many sessions of other subjects, in the same workspaces and over the same days."""
        folders = sorted({one["workspace"] for one in self._data["session"]})
        for number, session in enumerate(Corpus(99, sessions=count).sessions):
            session.workspace = folders[number % len(folders)]
            session.at = START + (number * 80 / count) * DAY
            session.name = f"noise-{session.name}"
            yield session

    def routine(self, count: int, *, held_out: bool) -> Iterator[Session]:
        """So many sessions of routine work in the words of these projects."""
        return routine(self.sessions(), count, held_out=held_out)

    def _answer(self, ref: str) -> str:
        name, number = ref.rsplit(".", 1)
        sessions = self._data["session"]
        return next(str(s["said"][int(number)][1]) for s in sessions if s["id"] == name)
