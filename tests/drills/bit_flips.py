"""Drill: one bit of `data.mdb` flipped; what `list`, `show` or `search` then shows, `verify` reports.

Each round flips one bit of a copy of an archive, looks at it as the commands do in a process of its
own, and where anything looks otherwise than before asks `verify`. A round fails where `verify` finds
nothing or dies, or where something is shown that no version of the archive ever held. The seed and
the position of the bit are named.
"""

import faulthandler
import multiprocessing
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from dejavu.archive import Archive, Batch
from dejavu.archive.maintenance.verify import Report
from dejavu.model import (
    ArchiveError,
    Conversation,
    DejavuError,
    RawDelta,
    Role,
    Span,
    Text,
    Turn,
    TurnUpdate,
)

from .budget import Budget, Outcome

WORDS = (
    "ring", "buffer", "socket", "parser", "token", "budget", "retry", "cursor", "lock", "index", "page",
    "leaf",
)  # fmt: skip
CONVERSATIONS = 60
_CONTEXT = multiprocessing.get_context("fork")
_PAGE = 4096


def fill(root: Path, conversations: int = CONVERSATIONS) -> None:
    """Some conversations with raw, one without, memories, and a search index."""
    chance = random.Random(7)
    with Archive.open(root) as archive:
        for number in range(conversations):
            turns: list[Turn] = []
            raw = b""
            for seq in range(chance.randrange(2, 9)):
                text = " ".join(chance.choices(WORDS, k=40))
                line = b'{"text":"%s"}\n' % text.encode()
                span = Span(len(raw), len(line))
                role = (Role.USER, Role.ASSISTANT)[seq % 2]
                turns.append(Turn(role=role, parts=(Text(text),), at=1e9 + number, spans=(span,)))
                raw += line
            key = f"/home/dev/{number}.jsonl"
            summary = Conversation(
                id=f"c{number:03}", agent="a", workspace="/w", title=f"About {WORDS[number % 12]}"
            )
            archive.commit(
                Batch({key: [RawDelta(0, raw)]}, [TurnUpdate(summary, 0, turns, key)], {key: b"c"})
            )
        archive.put(
            Conversation(id="screen", agent="b").with_turns(
                (Turn(role=Role.USER, parts=(Text("seen on a screen"),)),)
            )
        )
        archive.namespace("memories").put(b"m1", b"\xa5hello")
        archive.update_index()


def visible(root: Path) -> dict[str, list[Any]]:
    """What the commands show of an archive. Scores are left out: they depend on all other turns."""
    with Archive.open(root, create=False) as archive:
        summaries = list(archive.scan())
        hits = [hit for word in WORDS[:3] for hit in archive.search(word, limit=500)]
        return {
            "list": [repr(summary) for summary in summaries],
            "show": [repr(archive.get(summary.id)) for summary in summaries],
            "search": sorted(repr(hit._replace(score=0.0)) for hit in hits),
            "memories": [repr(item) for item in archive.namespace("memories").items()],
            "raw": [repr(b"".join(archive.sources.raw(key))) for key in archive.sources.all_keys()],
        }


def verified(root: Path) -> Report | str:
    """What `dejavu verify` finds; the words of its refusal where it cannot open the archive."""
    try:
        with Archive.open(root, create=False) as archive:
            return archive.maintenance.verify()
    except ArchiveError as error:
        return str(error)


def in_child(work: Callable[[Path], Any], root: Path) -> tuple[int | None, Any]:
    """(exit code, result or error) of a function run in a process of its own."""
    mine, theirs = _CONTEXT.Pipe(duplex=False)
    child = _CONTEXT.Process(target=_run, args=(work, root, theirs))
    child.start()
    theirs.close()
    try:
        result = mine.recv() if mine.poll(60) else None
    except EOFError:
        result = None
    child.join(60)
    return child.exitcode, result


def _run(work: Callable[[Path], Any], root: Path, pipe: Connection) -> None:
    faulthandler.disable()
    with Path(os.devnull).open("w") as silent:
        os.dup2(silent.fileno(), 2)  # LMDB says there why it aborts
    try:
        pipe.send(work(root))
    except DejavuError as error:
        pipe.send(error.__class__)
    except Exception as error:
        pipe.send(f"unforeseen {error!r}")


def flip(file: Path, bit: int) -> None:
    """Invert one bit of a file."""
    with file.open("r+b") as data:
        data.seek(bit // 8)
        (value,) = data.read(1)
        data.seek(bit // 8)
        data.write(bytes((value ^ 1 << bit % 8,)))


def bits(file: Path, chance: random.Random) -> Iterator[int]:
    """Bits anywhere, in the meta pages, and in the headers of pages: those are rarer."""
    size = file.stat().st_size
    while True:
        yield chance.randrange(8 * size)
        yield 8 * (_PAGE * chance.randrange(2) + chance.randrange(16, 152)) + chance.randrange(8)
        page = chance.randrange(2, size // _PAGE)
        yield 8 * (_PAGE * page + chance.randrange(80)) + chance.randrange(8)


class FlippedArchive:
    """An archive in which one bit after the other is flipped, in copies of it."""

    def __init__(self, whole: Path, scratch: Path) -> None:
        self._whole = whole
        self._copy = scratch / "flipped"
        code, self._before = in_child(visible, whole)
        assert code == 0
        self._shown = {kind: set(texts) for kind, texts in self._before.items()}

    def problem(self, bit: int) -> tuple[bool, str]:
        """Whether the flipped bit can be seen, and what is wrong about that; "" if nothing is."""
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._whole, self._copy)
        flip(self._copy / "data.mdb", bit)
        died, after = in_child(visible, self._copy)
        if (died, after) == (0, self._before):
            return False, ""
        if isinstance(after, str):
            return True, after
        code, report = in_child(verified, self._copy)
        if code:
            return True, f"verify ended with {code}"
        if not (isinstance(report, str) or report.faults):
            return True, "verify finds nothing"
        if isinstance(after, dict):
            for kind, texts in after.items():
                altered = [text for text in texts if text not in self._shown[kind]]
                if altered:
                    return True, f"{kind} shows what never was: {altered[0][:200]}"
        return True, ""


def drill(budget: Budget) -> Outcome:
    """Flip as many bits as the budget allows."""
    outcome = Outcome("bit-flips", unit="bits flipped", counts={"seen and reported": 0})
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch) / "whole" / "archive"
        code, _ = in_child(fill, whole)  # tantivy's threads must not be forked
        assert code == 0
        archive = FlippedArchive(whole, Path(scratch))
        for bit in bits(whole / "data.mdb", budget.random):
            if not budget.more():
                break
            seen, problem = archive.problem(bit)
            outcome.rounds += 1
            if problem:
                outcome.fail(f"bit {bit}: {problem}")
            else:
                outcome.counts["seen and reported"] += seen
    return outcome
