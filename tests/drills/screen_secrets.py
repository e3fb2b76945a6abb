"""Drill: secrets on screens of every agent; no ten characters of one may reach the disk.

Each round is a session of the observer, as `dejavu-run --screen` starts it, around an agent drawn by
`benchmarks/redact/chromes.py`: secrets of all vendors' formats printed by a command, said in an
answer, typed in a prompt, at 20 to 200 columns, wrapped in many ways, drawn whole, line by line in
the terminal's own scrolling, or in a full-screen window that shows only the end; archived while half
drawn, and resized. Then every byte of the data and state folders is read, frames decompressed. A
failure names its seed.
"""

import contextlib
import json
import os
import random
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.redact.chromes import CHROMES, WRAPS, Chrome, rows_of
from benchmarks.redact.formats import FORMATS, draw

from dejavu.archive import Archive
from dejavu.archive.records import decompress
from dejavu.capsule import Exit, Header, Output, Resize
from dejavu.ingest.ingestor import Ingestor
from dejavu.model import (
    Conversation,
    CorruptArchiveError,
    TurnUpdate,
    conversation_to_dict,
    turn_to_dict,
)
from dejavu.redact import Redactor
from dejavu.redact.random_runs import is_words
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.observer import SessionObserver

from .budget import Budget, Outcome

PIECE = 10
"""Characters in a row of a secret that may not be found."""
WIDTHS = (20, 26, 33, 40, 48, 57, 80, 101, 120, 160, 200)
_MAGIC = b"\x28\xb5\x2f\xfd"
_PLACES = ("prompt", "output", "answer")
_RULES = Redactor(b"drill").redact


class Agent:
    """An agent that draws exchanges, and the observer that watches it."""

    def __init__(self, chrome: Chrome, chance: random.Random) -> None:
        self.chrome, self.chance = chrome, chance
        self.width, self.lines = chance.choice(WIDTHS), chance.choice((16, 24, 40, 80))
        self.wrap = WRAPS[chance.choice(list(WRAPS))]
        self.full_screen = chance.random() < 0.5
        self.now = time.time()
        self.observer = SessionObserver()
        self.exchanges: list[dict[str, str]] = []
        session = sessions.SessionHeader(
            id=sessions.new_session_id(self.now), agent=chrome.agent, argv=[chrome.agent],
            workspace="/work/x", instance="", name="n", wrapper_pid=1, wrapper_started=1,
            started_at=self.now - 1, screen=True,
        )  # fmt: skip
        header = {
            **session._asdict(), "folder": str(sessions.create(session)), "mode": "pty", "pid": 0,
            "columns": self.width, "lines": self.lines,
        }  # fmt: skip
        self.observer.event(Header(header))
        if self.full_screen:
            self._write("\x1b[?1049h")

    def exchange(self, **texts: str) -> None:
        """Draw one more exchange, in some pieces."""
        before = self._rows()
        self.exchanges.append(texts)
        rows = self._rows()
        shown = len(before)
        if not self.full_screen and before:
            self._write(f"\x1b[{len(self._below())}A\r\x1b[J")
        while shown < len(rows):
            step = min(shown + self.chance.choice((1, 3, 9, 40)), len(rows))
            self._draw(rows, shown, step)
            shown = step
        self._pause(1.0)

    def resize(self) -> None:
        """Change the terminal's size; the agent draws anew at the new width."""
        self.width, self.lines = self.chance.choice(WIDTHS), self.chance.choice((16, 24, 40))
        self.observer.event(Resize(self.now, self.width, self.lines))
        self._pause(0.1)
        rows = self._rows()
        if not self.full_screen:
            self._write("\x1b[H\x1b[2J\x1b[3J")
        self._draw(rows, 0, len(rows))
        self._pause(1.0)

    def end(self) -> dict[str, Any]:
        """End the session."""
        self.observer.event(Exit(self.now, 0))
        return self.observer.finish()

    def _rows(self) -> list[str]:
        rows: list[str] = []
        for texts in self.exchanges:
            rows += [*rows_of(self.chrome, self.wrap, self.width, **texts), ""]
        return rows

    def _below(self) -> list[str]:
        return self.chrome.below(self.width)

    def _draw(self, rows: list[str], shown: int, upto: int) -> None:
        below = self._below()
        if self.full_screen:
            room = max(self.lines - len(below), 2)
            window = [*rows[:upto][-room:], *below]
            self._write("\x1b[H\x1b[2J" + "\r\n".join(window))
        else:
            up = f"\x1b[{len(below) - 1}A\r\x1b[J" if shown else ""
            self._write(up + "\r\n".join([*rows[shown:upto], *below]))
        self._pause(self.chance.choice((0.01, 0.05, 0.2, 0.2, 16.0)))

    def _write(self, text: str) -> None:
        self.observer.event(Output(self.now, text.encode()))

    def _pause(self, seconds: float) -> None:
        end = self.now + seconds
        while self.observer.due is not None and self.observer.due <= end:
            self.now = max(self.now, self.observer.due)
            self.observer.tick(self.now)
            if self.observer.due is not None and self.observer.due <= self.now:
                break
        self.now = end


def secret(chance: random.Random) -> tuple[str, str]:
    """Return a text with a secret, and the secret, of a form that the rules know unbroken."""
    while True:
        _, template = chance.choice(FORMATS)
        text, start, end = draw(template, chance)
        if not any(gram in _RULES(text).lower() for gram in grams(text[start:end])):
            return text, text[start:end]


def grams(value: str) -> set[str]:
    """Return every run of ten characters of a secret, in lower case."""
    flat = "".join(value.split()).lower()
    return {flat[at : at + PIECE] for at in range(len(flat) - PIECE + 1)}


def _constant_words() -> frozenset[str]:
    """Return what two secrets of one format have in common, if it is spelt as words.

    A vendor's prefix such as `secret_admin_` is the same in every such secret, and tells nothing.
    """
    common = set[str]()
    for _, template in FORMATS:
        drawn = [draw(template, random.Random(seed)) for seed in (1, 2)]
        one, other = (grams(text[start:end]) for text, start, end in drawn)
        common |= {gram for gram in one & other if is_words(gram)}
    return frozenset(common)


_WORDS = _constant_words()


class Session(NamedTuple):
    """What one session showed and what became of it."""

    secrets: list[str]
    report: dict[str, Any]
    archived: list[str]
    """All turns that were ever archived, those that others replaced later too."""


def session(chrome: Chrome, chance: random.Random) -> Session:
    """Run one session."""
    with _archived() as archived:
        secrets, report = _session(chrome, chance)
    return Session(secrets, report, archived)


@contextlib.contextmanager
def _archived() -> Iterator[list[str]]:
    """Collect the turns that are given to the archive, which packs them where nobody can search."""
    texts: list[str] = []
    commit = Ingestor.commit_turns

    def recorded(self: Ingestor, update: TurnUpdate) -> None:
        update = update._replace(turns=list(update.turns))
        texts.append(json.dumps([turn_to_dict(turn) for turn in update.turns], ensure_ascii=False))
        commit(self, update)

    Ingestor.commit_turns = recorded  # type: ignore[method-assign]  # a spy, the real one is called
    try:
        yield texts
    finally:
        Ingestor.commit_turns = commit  # type: ignore[method-assign]


def _session(chrome: Chrome, chance: random.Random) -> tuple[list[str], dict[str, Any]]:
    agent, secrets = Agent(chrome, chance), list[str]()
    for _ in range(chance.choice((1, 2, 4))):
        texts: dict[str, str] = {}
        for place in _PLACES:
            text, value = secret(chance)
            secrets.append(value)
            texts[place] = f"plain\n{'x' * chance.randrange(agent.width)} {text}\nand after"
        agent.exchange(**texts)
        if chance.random() < 0.5:
            agent.resize()
    return secrets, agent.end()


def found(folder: Path, secrets: list[str], archived: Iterable[str] = ()) -> list[str]:
    """Return which files below a folder hold a piece of a secret, as they are or decompressed."""
    wanted = set[str]().union(*map(grams, secrets)) - _WORDS
    contents = chain(_contents(folder), (("an archived turn", text.encode()) for text in archived))
    return sorted({name for name, data in contents if _holds(data, wanted)})


def as_text(conversation: Conversation) -> str:
    """Return a conversation with its turns as JSON."""
    turns = [turn_to_dict(turn) for turn in conversation.turns]
    return json.dumps([conversation_to_dict(conversation), *turns], ensure_ascii=False)


def _holds(data: bytes, wanted: set[str]) -> bool:
    text = data.decode("latin-1").lower()
    return any(text[at : at + PIECE] in wanted for at in range(len(text) - PIECE + 1))


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        name, data = str(path.relative_to(folder)), path.read_bytes().replace(b"\0" * 64, b"")
        yield name, data
        at = data.find(_MAGIC)
        while at >= 0:
            with contextlib.suppress(CorruptArchiveError):
                yield f"{name} at {at}", decompress(data[at:])
            at = data.find(_MAGIC, at + 1)
    root = folder / ".local/share/dejavu/archive"
    if root.is_dir():
        with Archive.open(root) as archive:
            for summary in archive.scan():
                yield f"conversation {summary.id}", as_text(archive.get(summary.id)).encode()


def drill(budget: Budget) -> Outcome:
    """Run sessions of all agents in turn."""
    outcome = Outcome("screen-secrets", unit="sessions", counts={"secrets": 0, "not kept": 0})
    before = dict(os.environ)
    try:
        while budget.more():
            seed = budget.random.randrange(1 << 32)
            chance = random.Random(seed)
            chrome = CHROMES[outcome.rounds % len(CHROMES)]
            with tempfile.TemporaryDirectory() as folder:
                os.environ["HOME"] = folder
                done = session(chrome, chance)
                outcome.counts["not kept"] += done.report["kept"] != "screen"
                outcome.counts["secrets"] += len(done.secrets)
                if places := found(Path(folder), done.secrets, done.archived):
                    outcome.fail(f"{chrome.agent}, seed {seed}: pieces in {places}")
            outcome.rounds += 1
    finally:
        os.environ.clear()
        os.environ.update(before)
    return outcome
