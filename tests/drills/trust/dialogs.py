"""Angle: a dialog of any shape, answered by each of its choices, must never take another one.

Draws dialogs in a real terminal under the real wrapper: numbered, pointed at, with buttons, side by side,
with letters, highlighted by a colour alone; key words in their rows, wrapped rows, a list in the transcript
above, arrows that the program does not know, random labels. What was taken is read from the program's
own log. Taken as wanted or refused both hold.
"""

import random
import string
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.factories.dialogs import Dialog, ask_next, beside, drawn, shown_blocked, taken
from tests.factories.homes import throw_away_home

from dejavu.model import DejavuError
from dejavu.sessions import session_store as sessions
from dejavu.sessions.answer import answer

from ..budget import Budget
from . import Tally

ANGLE = "answers to dialogs"
FINDINGS = ("A1", "A2", "D2")
WEIGHT = 6.0  # a dialog is drawn, read and answered in real time, after a start of two seconds

_HINTS = (
    "↑/↓ to navigate · enter to select · esc to cancel", "Enter to confirm · Esc to cancel",
    "←/→ choose • enter confirm • esc deny", "⇆ select  enter confirm", "Confirm with number keys or Enter",
    "",
)  # fmt: skip
_TAILS = ("", "", " (Esc to stop)", " (esc)", " (enter to confirm)", " [tab to amend]", " (y)")
_WORDS = (
    "Yes",
    "Yes, always",
    "No",
    "Allow once",
    "Allow for this session",
    "Reject",
    "Skip",
    "Deny",
    "Keep",
)


def attack(budget: Budget, tally: Tally) -> None:
    """One program draws dialog after dialog; each is answered by one of its choices."""
    chance = budget.random
    with throw_away_home(), tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        first, _ = _dialog(chance, "first")
        agent = chance.choice(("some-agent", "copilot", "claude", "gemini"))
        with drawn(first, folder, agent, "80x30") as view:
            number = 0
            while budget.more():
                number += 1
                mark = "".join(chance.choices(string.ascii_lowercase, k=8))
                dialog, shape = _dialog(chance, mark)
                ask_next(view, dialog, folder)
                asked = shown_blocked(view, mark, 3.0)
                wanted = chance.randrange(len(dialog.labels))
                before = len(taken(folder))
                told = _answer(asked or sessions.load(view.folder) or view, dialog, wanted, chance)
                took = taken(folder)[before:]
                held = took in ([], [dialog.labels[wanted]]) and (took != [] or told != "taken")
                tally.record(
                    held,
                    f"seed {budget.seed}, {agent}, dialog {number} ({shape}): wanted "
                    f"{dialog.labels[wanted]!r} of {dialog.labels}, took {took}, said {told}",
                )


def _answer(view: sessions.SessionView, dialog: Dialog, wanted: int, chance: random.Random) -> str:
    words = dialog.labels[wanted]
    said = chance.choice((words, words, words[: max(3, len(words) // 2)], words.lower()))
    try:
        answer(view, said)
    except DejavuError as error:
        return str(error)[:120]
    return "taken"


def _dialog(chance: random.Random, mark: str) -> tuple[Dialog, str]:
    shape = chance.choice(tuple(_SHAPES))
    return _SHAPES[shape](chance, mark), shape


def _labels(chance: random.Random) -> list[str]:
    count = chance.randint(2, 5)
    words = list(chance.sample(_WORDS, count))
    for n in range(count):
        if chance.random() < 0.4:
            words[n] = " ".join(
                "".join(chance.choices(string.ascii_letters, k=chance.randint(2, 9)))
                for _ in range(chance.randint(1, 4))
            ).capitalize()
    return [word + chance.choice(_TAILS) for word in words]


def _above(chance: random.Random, mark: str) -> list[str]:
    """What is above the choices: some transcript, and the question."""
    transcript = chance.choice((
        ["● I run it."], ["❯ run it", "  and then the rest"], ["❯ 1. Fix the parser", "  2. Fix the printer"],
        ["● Two ways:", "", "> Yes", "  No"], ["● There are:", "  1. Yes", "  2. No"], [],
    ))  # fmt: skip
    question = chance.choice(("Do you want to run {}?", "Allow {}?", "Run this command? {}", "{}"))
    return [*transcript, "", f"  $ rm -rf {mark}", "", question.format(mark), ""]


def _listed(
    chance: random.Random, mark: str, entry: Callable[[int, str, bool], str], moves: str
) -> Dialog:
    labels, above = _labels(chance), _above(chance, mark)
    at, hint = chance.randrange(len(labels)), chance.choice(_HINTS)
    wraps = chance.randrange(len(labels)) if chance.random() < 0.3 else -1
    boxed = chance.random() < 0.3
    frames = []
    for pointed in range(len(labels)):
        rows = list(above)
        for n, label in enumerate(labels):
            rows.append(entry(n, label, n == pointed))
            rows += ["       and the rest of it"] if n == wraps else []
        rows += ["", hint]
        frames.append([f"│ {row:<74} │" if boxed and "\x1b" not in row else row for row in rows])
    return Dialog(labels, frames, moves, at=at)


def _numbered(chance: random.Random, mark: str) -> Dialog:
    glyph = chance.choice("❯›>▶→")
    moves = chance.choice(("AB", "AB", "AB", "CD", ""))
    return _listed(
        chance, mark, lambda n, label, on: f" {glyph if on else ' '} {n + 1}. {label}", moves
    )


def _pointed(chance: random.Random, mark: str) -> Dialog:
    glyph = chance.choice("❯›>▶→")
    moves = chance.choice(("AB", "AB", "CD"))
    return _listed(chance, mark, lambda _, label, on: f" {glyph if on else ' '} {label}", moves)


def _buttons(chance: random.Random, mark: str) -> Dialog:
    chosen = chance.randrange(9)  # what was set before, wherever the highlight is
    numbers, colour = chance.random() < 0.5, chance.random() < 0.5

    def entry(n: int, label: str, on: bool) -> str:
        filled = n == chosen if colour else on
        row = f" {'●' if filled else '○'} {f'{n + 1}. ' if numbers else ''}{label}"
        return f"\x1b[7m{row}\x1b[27m" if colour and on else row

    return _listed(chance, mark, entry, "AB")


def _coloured(chance: random.Random, mark: str) -> Dialog:
    numbers = chance.random() < 0.5
    style = chance.choice(("7", "1;36", "44", "38;5;208"))
    return _listed(
        chance,
        mark,
        lambda n, label, on: (
            f"\x1b[{style if on else ''}m   {f'{n + 1}. ' if numbers else ''}{label}\x1b[m"
        ),
        "AB",
    )


def _beside(chance: random.Random, mark: str) -> Dialog:
    labels = list(dict.fromkeys(_labels(chance)))[:3]
    gap = " " * chance.randint(2, 5)
    row = f"  {gap.join(labels)}{gap}{chance.choice(_HINTS)}"
    return beside([*_above(chance, mark), row], labels)


def _lettered(chance: random.Random, mark: str) -> Dialog:
    labels = chance.sample(("yes", "no", "always", "quit", "deny", "keep"), chance.randint(2, 4))
    form = chance.choice(("[{0}] {1}", "[{0}]{2}", "({0}){2}", "{0}"))
    parts = [form.format(word[0], word.capitalize(), word[1:]) for word in labels]
    row = {"[{0}] {1}": "   ".join(parts), "{0}": f"[{'/'.join(parts)}]"}.get(form, "/".join(parts))
    ask = chance.choice(("Run it?", "Allow?", "Go on?"))
    rows = [*_above(chance, mark), f"{ask} {row}" if form != "[{0}] {1}" else f"  {row}"]
    # Enter takes what the program has highlighted, whatever letters it names.
    letters = {word[0]: n for n, word in enumerate(labels)} if chance.random() < 0.8 else {}
    frames = [list(rows) for _ in labels]
    return Dialog(labels, frames, "", letters, at=chance.randrange(len(labels)))


_SHAPES: dict[str, Callable[[random.Random, str], Dialog]] = {
    "numbered": _numbered,
    "pointed": _pointed,
    "buttons": _buttons,
    "coloured": _coloured,
    "side by side": _beside,
    "letters": _lettered,
}
