"""Angle: a secret in rows of any dialog, wrapped anywhere, must leave no piece in the status file.

Secrets of many vendors' forms are drawn into the command, the question and the choices of a dialog, or
into a row that decides a state, at 20 to 200 columns, in boxes and without, with and without `--screen`.
"""

import random
import time

from benchmarks.redact.formats import FORMATS, draw
from tests.factories.homes import throw_away_home

from dejavu.capsule import Header, Output
from dejavu.redact import Redactor
from dejavu.redact.random_runs import is_words
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.observer import SessionObserver

from ..budget import Budget
from . import Tally

ANGLE = "secrets in the status file"
FINDINGS = ("H1",)

PIECE = 8
"""Characters in a row of a secret that may not be found."""
_AGENTS = ("claude", "copilot", "codex", "opencode", "gemini", "some-agent")


def attack(budget: Budget, tally: Tally) -> None:
    """One session of the observer for each screen."""
    chance, rules = budget.random, Redactor(b"drill")
    with throw_away_home():
        while budget.more():
            vendor, template = chance.choice(FORMATS)
            text, start, end = draw(template, chance)
            secret = text[start:end]
            if _pieces(secret, template, rules.redact(text)):
                continue  # no rule knows it, even where it is whole
            width, screen = (
                chance.choice((20, 26, 33, 40, 57, 80, 101, 120, 200)),
                chance.random() < 0.5,
            )
            agent, place = chance.choice(_AGENTS), chance.choice(("dialog", "row", "title"))
            status = _told(
                _rows(chance, text, width, place), width, agent, screen=screen, number=tally.tried
            )
            tally.record(
                not _pieces(secret, template, status),
                f"seed {budget.seed}: {vendor} {template!r}, {agent}, {width} columns, {place}, "
                f"{'with' if screen else 'without'} --screen",
            )


def _pieces(secret: str, template: str, text: str) -> list[str]:
    found = (secret[n : n + PIECE] for n in range(len(secret) - PIECE + 1))
    return [
        piece for piece in found if piece in text and piece not in template and not is_words(piece)
    ]


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    room = max(4, width - indent)
    return [" " * indent + text[at : at + room] for at in range(0, len(text), room)]


def _rows(chance: random.Random, text: str, width: int, place: str) -> list[str]:
    if place == "title":
        return [f"\x1b]0;{mark} {text}\x07" for mark in "⠋⠙⠹"] + ["it runs"]
    rule, box = "─" * width, ["", "─" * width, "❯ ", "─" * width]
    if place == "row":
        head = chance.choice(("● API Error: ", "✻ Working… ", "❯ ", "● ", "Error: ", "  ⎿  "))
        return [*_wrapped(f"{head}{text}", width, 0), *box]
    boxed = chance.random() < 0.4
    inner = width - 4 if boxed else width
    parts = {
        "command": _wrapped(f"curl -H 'x: {text}'", inner, 3),
        "question": _wrapped("Do you want to run this command?", inner, 1),
        "choice": _wrapped("2. Yes, and do not ask again", inner, 3),
    }
    hidden = chance.choice(tuple(parts))
    words = {"question": f"Do you want to send {text} ?", "choice": f"2. Yes, always for {text}"}
    if hidden in words:
        parts[hidden] = _wrapped(words[hidden], inner, 1 if hidden == "question" else 3)
        parts["command"] = ["   make"]
    rows = [" Bash command", "", *parts["command"], "", *parts["question"], "", " ❯ 1. Yes",
            *parts["choice"], "   3. No", "", " Enter to confirm · Esc to cancel"]  # fmt: skip
    if not boxed:
        return [rule, *rows]
    bar = "─" * (width - 2)
    return [f"╭{bar}╮", *(f"│ {row:<{inner}.{inner}} │" for row in rows), f"╰{bar}╯"]


def _told(rows: list[str], width: int, agent: str, *, screen: bool, number: int) -> str:
    """The status file once the screen was read."""
    now = time.time()
    session = sessions.SessionHeader(
        id=f"20260101-{number:06d}-aaaa", agent=agent, argv=[agent], workspace="/w", instance="",
        name="n", wrapper_pid=1, wrapper_started=1, started_at=now - 1, screen=screen,
    )  # fmt: skip
    folder = sessions.create(session)
    header = {
        **session._asdict(), "folder": str(folder), "mode": "pty", "pid": 0, "columns": width,
        "lines": len(rows) + 2,
    }  # fmt: skip
    observer = SessionObserver()
    observer.event(Header(header))
    observer.event(Output(now, "\r\n".join(rows).encode()))
    for later in (0.5, 1.0, 3.0, 6.0):
        observer.tick(now + later)
    text = (folder / "status.json").read_text()
    observer.close()
    return text
