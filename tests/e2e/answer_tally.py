"""What was chosen of agents' dialogs and what came of it: one line each in a file, and the table of all.

    python -m tests.e2e.answer_tally FILE [FILE ...]

The files are what `tests.e2e.answer_moments` appends to. Starts no agent, judges nothing.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

_REFUSES = re.compile(r"(?i)^(no\b|reject|deny|cancel|decline|don.t\b|suggest|refuse)")
_FOR_GOOD = re.compile(
    r"(?i)always|don.t ask|again|for (this|the) (session|conversation)|all edits|future|commands that start"
)
_OURS = re.compile(r"\S*(?:do|made|Amber|Birch|Cedar)\d{4}\S*(?: \w\b)?")
_SHOWN = 48  # characters of a label in the table


def effect_of(label: str) -> str:
    """What a choice should do, by its words: `refused`, `once` or `for good`."""
    if _REFUSES.search(label):
        return "refused"
    return "for good" if _FOR_GOOD.search(label) else "once"


@dataclass(frozen=True)
class Choice:
    """One choice that was made: of which dialog, how it was given, and at which moment."""

    agent: str
    dialog: str
    label: str
    way: str
    moment: str
    fault: str = ""

    @property
    def kind(self) -> tuple[str, str, str]:
        """Its agent, its dialog, and its label without what is other in each dialog."""
        label = " ".join(_OURS.sub("…", self.label).split())
        return self.agent, self.dialog, label[:_SHOWN]


@dataclass
class Tally:
    """All choices of one agent's dialogs; each is appended to `file` as it is made."""

    file: Path | None = None
    made: list[Choice] = field(default_factory=list[Choice])
    refusals: Counter[str] = field(default_factory=Counter[str])
    unasked: int = 0
    unfinished: list[str] = field(default_factory=list[str])

    def add(self, choice: Choice) -> None:
        """Count a choice that has been judged."""
        self.made.append(choice)
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(asdict(choice), ensure_ascii=False) + "\n")

    def times(self, dialog: str, label: str, way: str) -> int:
        """How often a choice was made that way."""
        kind = Choice("", dialog, label, way, "").kind[1:]
        return sum(one.kind[1:] == kind and one.way == way for one in self.made)


def read(files: Iterable[Path]) -> list[Choice]:
    """The choices in files, in their order."""
    lines = (line for file in files for line in file.read_text("utf-8").splitlines())
    return [Choice(**json.loads(line)) for line in lines]


def table(choices: Iterable[Choice]) -> str:
    """A row for each choice of each dialog of each agent, and their sum."""
    counts: Counter[tuple[tuple[str, str, str], str]] = Counter()
    for one in choices:
        counts[one.kind, one.way] += 1
        counts[one.kind, "wrong"] += bool(one.fault)
    rows = ["| agent | dialog | choice | by number | by words | early | wrong |", "|---" * 7 + "|"]
    columns = ("number", "words", "early", "wrong")
    for kind in sorted({kind for kind, _ in counts}):
        cells = [str(counts[kind, way]) for way in columns]
        rows.append("| " + " | ".join([*(part.replace("|", "/") for part in kind), *cells]) + " |")
    sums = [str(sum(n for (_, way), n in counts.items() if way == column)) for column in columns]
    return "\n".join([*rows, "| all | | | " + " | ".join(sums) + " |"])


if __name__ == "__main__":
    made = read(map(Path, sys.argv[1:]))
    print(table(made))  # noqa: T201 - a command
    print(*(one.fault for one in made if one.fault), sep="\n")  # noqa: T201 - a command
    sys.exit(any(one.fault for one in made))
