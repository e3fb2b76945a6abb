"""Routine work to hide answers in: what most of a coding session is, in the words of its project.

Sessions of short turns ("run the tests", "commit that") that name the nouns and files of a set's own
projects, so that words alone do not part them from what was decided. The two halves of the
templates have no sentence in common: one is for development sets, one for held-out sets.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.recall.corpus import DAY, START, Session

from dejavu.recall.terms import STOP

_WORD = re.compile(r"[a-z]{4,}")
_DEVELOPMENT = (
    ("run the tests", "All {n} tests pass."),
    ("run the {a} tests again", "{n} passed, 1 skipped; the skipped one needs the {b}."),
    ("commit", "Committed as '{a}: tidy up'."),
    ("format {f}", "Formatted, 3 lines changed."),
    ("rename the variable {a} to {b} in {f}", "Renamed in {m} places; the {a} tests pass."),
    ("what is in {f}?", "It holds the {a} and a helper for the {b}, {n} lines in all."),
    ("add a test for the {a}", "Added a test that covers the {a} and an empty {b}."),
    (
        "why is the {a} test red",
        "A fixture still had the old {b}; updated it and the run is green.",
    ),
    ("add logging around the {a}", "The {a} logs start, end and duration now at debug level."),
    ("ok next", "Next would be the {a}, then the {b}."),
    ("rebase on main please", "Rebased; a conflict in {f} was about imports only."),
    ("explain the {a} to me", "The {a} takes what the {b} gives it and passes it on; see {f}."),
    ("yes", "Done."),
    ("clean up {f}", "Removed two unused functions and a stale comment about the {a}."),
    ("is the {a} documented", "Yes, a paragraph in the README names the {a} and the {b}."),
)
_HELD_OUT = (
    ("please execute the test suite", "Everything is green: {n} cases in {m} seconds."),
    ("check whether the {a} still works", "It does: I tried it with a {b} and the output was as before."),
    ("make a commit out of this", "One commit, 'polish {a}', {m} files."),
    ("lint", "No findings in {f}, two warnings about line length elsewhere, fixed."),
    ("move the {a} out of {f}", "Moved; {f} imports it from its new place, and nothing else changed."),
    ("show me where the {a} is used", "In {m} places, most of them in {f}; the {b} uses it once."),
    ("go on", "Going on with the {b}."),
    ("the build broke after your change to {f}", "A missing import of the {a}; added, the build passes."),
    ("bump the patch version", "It is {m}.{n}.1 now, with a line in the changelog about the {a}."),
    ("simplify the {a} a little", "Two branches were the same; merged them, {m} lines fewer."),
    ("thanks", "You are welcome. The {a} is finished."),
    ("open a pull request", "Opened as number {n}, titled 'Clean up the {a} and the {b}'."),
    ("can you shorten the docstring of the {a}", "Shortened to two sentences; the {b} is still named."),
    ("undo the last edit in {f}", "Undone; {f} is as it was this morning."),
)  # fmt: skip


def routine(sessions: Sequence[Session], count: int, *, held_out: bool) -> Iterator[Session]:
    """So many sessions of routine work in the workspaces of `sessions`, over the same days."""
    rng = random.Random(f"routine {held_out}")
    templates = _HELD_OUT if held_out else _DEVELOPMENT
    folders = sorted({one.workspace for one in sessions})
    nouns = {folder: _nouns(sessions, folder) for folder in folders}
    paths = {folder: _paths(sessions, folder) for folder in folders}
    last = max(one.at for one in sessions)
    for number in range(count):
        folder = folders[number % len(folders)]
        said: list[tuple[str, str, dict[str, Any] | None]] = []
        for prompt, answer in rng.choices(templates, k=rng.randint(8, 17)):
            a, b = rng.sample(nouns[folder], 2)
            named = {"a": a, "b": b, "f": rng.choice(paths[folder]), "n": rng.randint(20, 700)}
            named["m"] = rng.randint(2, 30)
            said.append(("user", prompt.format(**named), None))
            said.append(("assistant", answer.format(**named), None))
        at = START + rng.random() * (last - START + DAY)
        yield Session(f"routine-{number}", ("claude", "codex")[number % 2], folder, at, said)


def _nouns(sessions: Sequence[Session], folder: str) -> list[str]:
    """The words that a project speaks of most, twenty of them."""
    counts: Counter[str] = Counter()
    for session in sessions:
        if session.workspace == folder:
            for role, text, _ in session.said:
                told = set(_WORD.findall(text.lower())) - STOP if role != "tool" else ()
                counts.update(sorted(told))  # in order, or words said as often would change places
    return [*(word for word, _ in counts.most_common(60)[::3]), "handler", "parser"]


def _paths(sessions: Sequence[Session], folder: str) -> list[str]:
    """The files that a project's tools touched."""
    calls = [c for s in sessions if s.workspace == folder for _, _, c in s.said if c]
    return sorted({c["file_path"] for c in calls if "file_path" in c}) or ["src/main.py"]
