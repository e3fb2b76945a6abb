"""The public set of labelled screens (`golden/status`), and the score of what reads them.

A screen's file has its facts as TOML, a line `---`, and its rows. `state` is its label (working,
blocked, idle, error or unknown), `also` what is right as well, `reason` why. `origin`: ours (from
recordings of real agents, or made), or rebuilt from words in a public thread (`source`). `tuned`:
whether rules of ours were written with it in sight; the figure to quote is that of the others.
"""

import os
import re
import shlex
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks import ROOT

from dejavu.scrapers import Packs, read
from dejavu.screen import Snapshot

SET = ROOT / "golden" / "status"
STATES = ("working", "blocked", "idle", "error", "unknown")
# What other tools call these states.
_WORDS = {
    "running": "working", "busy": "working", "processing": "working", "thinking": "working",
    "waiting": "blocked", "waiting_input": "blocked", "waiting_user_answer": "blocked",
    "needs_input": "blocked", "permission": "blocked", "attention": "blocked",
    "done": "idle", "completed": "idle", "ready": "idle", "stable": "idle", "stopped": "idle",
}  # fmt: skip
_PATIENCE = 30.0


@dataclass(frozen=True)
class Screen:
    """One labelled screen."""

    name: str
    agent: str
    version: str
    title: str
    size: tuple[int, int]
    alternate: bool
    cursor: tuple[int, int]
    state: str
    also: tuple[str, ...]
    reason: str
    origin: str
    source: str
    tuned: bool
    rows: tuple[str, ...]

    @property
    def snapshot(self) -> Snapshot:
        """The screen as the scrapers take it; without styles, which a text does not hold."""
        return Snapshot.from_rows(
            self.rows, self.size[0], title=self.title, alternate=self.alternate, cursor=self.cursor
        )


def load(folder: Path = SET) -> list[Screen]:
    """Every screen of the set, by path."""
    screens: list[Screen] = []
    for path in sorted(folder.glob("*/*.txt")):
        head, _, body = path.read_text(encoding="utf-8").partition("---\n")
        facts = tomllib.loads(head)
        columns, _, lines = facts["size"].partition("x")
        row, column = facts["cursor"]
        screens.append(
            Screen(
                name=f"{path.parent.name}/{path.stem}",
                agent=facts["agent"],
                version=facts["version"],
                title=facts["title"],
                size=(int(columns), int(lines)),
                alternate=facts["alternate"],
                cursor=(row, column),
                state=facts["state"],
                also=tuple(facts["also"]),
                reason=facts["reason"],
                origin=facts["origin"],
                source=facts["source"],
                tuned=facts["tuned"],
                rows=tuple(body.removesuffix("\n").split("\n")),
            )
        )
    return screens


def by_packs(packs: Packs | None) -> Callable[[Screen], str]:
    """Our own reading of one screen, without what came before it."""
    return lambda screen: str(read(screen.agent, screen.snapshot, packs=packs).state)


def by_tool(command: str) -> Callable[[Screen], str]:
    """A program that gets the screen on stdin and prints a state: its first word that is one.

    `{agent}` in the command is the agent's name; STATUS_AGENT, STATUS_TITLE, STATUS_COLUMNS and
    STATUS_LINES are in its environment. What fails, or says nothing that is known, is `unknown`.
    """

    def ask(screen: Screen) -> str:
        environ = {
            **os.environ,
            "STATUS_AGENT": screen.agent,
            "STATUS_TITLE": screen.title,
            "STATUS_COLUMNS": str(screen.size[0]),
            "STATUS_LINES": str(screen.size[1]),
        }
        words = [word.replace("{agent}", screen.agent) for word in shlex.split(command)]
        text = "\n".join(screen.rows) + "\n"
        try:
            done = subprocess.run(
                words, input=text.encode(), capture_output=True, timeout=_PATIENCE, env=environ,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "unknown"
        except OSError as error:
            raise SystemExit(f"{words[0]}: {error.strerror}") from error
        for word in re.findall(r"[a-z_]+", done.stdout.decode("utf-8", "replace").lower()):
            if word in STATES or word in _WORDS:
                return _WORDS.get(word, word)
        return "unknown"

    return ask


Verdict = tuple[Screen, str]


def run(screens: Iterable[Screen], ask: Callable[[Screen], str], workers: int = 2) -> list[Verdict]:
    """What `ask` says of each screen."""
    screens = list(screens)
    with ThreadPoolExecutor(workers) as pool:
        return list(zip(screens, pool.map(ask, screens), strict=True))


def is_right(screen: Screen, got: str) -> bool:
    """Whether a verdict is the label, or what is right as well."""
    return got == screen.state or got in screen.also


def score(verdicts: list[Verdict]) -> dict[str, float | int]:
    """Accuracy, wrong and confident, blocked recall and precision, abstention, in shares."""
    count = len(verdicts)
    right = sum(is_right(screen, got) for screen, got in verdicts)
    wrong = sum(got != "unknown" and not is_right(screen, got) for screen, got in verdicts)
    silent = sum(got == "unknown" and screen.state != "unknown" for screen, got in verdicts)
    hits = sum(got == screen.state == "blocked" for screen, got in verdicts)
    blocked = sum(screen.state == "blocked" for screen, _ in verdicts)
    said = sum(got == "blocked" for _, got in verdicts)
    return {
        "screens": count,
        "right": round(right / count, 4),
        "wrong": round(wrong / count, 4),
        "abstained": round(silent / count, 4),
        "blocked_R": round(hits / blocked, 4) if blocked else 1.0,
        "blocked_P": round(hits / said, 4) if said else 1.0,
    }


def table(verdicts: list[Verdict]) -> dict[str, dict[str, float | int]]:
    """Scores over all, of those that rules were not tuned on, by origin and by agent."""
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for screen, got in verdicts:
        for group in (
            "all",
            "tuned on" if screen.tuned else "not tuned on",
            f"origin {screen.origin}",
            screen.agent,
        ):
            groups[group].append((screen, got))
    first = ("all", "not tuned on", "tuned on", "origin ours", "origin rebuilt")
    order = [*first, *sorted(set(groups) - set(first))]
    return {name: score(groups[name]) for name in order if name in groups}
