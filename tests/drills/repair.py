"""Drill: an archive is damaged, repaired and synced; then it is whole and has every turn again.

Each round damages a copy of an archive of several agents' sessions (bits, zeroed pages, both meta
pages, a file cut short, emptied or gone) and runs `verify --repair`, `sync` and `verify` in a
process of its own. With the agents' files still there, every conversation reads as before. Without
them, what can be read is there, nothing else is shown, the repair names what is missing, and
`verify` finds nothing.
"""

import multiprocessing
import os
import random
import shutil
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.archive.maintenance.salvage import DAMAGED
from dejavu.ingest.repair import repair
from dejavu.ingest.sync import sync_homes
from dejavu.model import CorruptArchiveError
from dejavu.providers import Home

from .bit_flips import bits, flip, in_child
from .budget import Budget, Outcome
from .session_files import HOMES

AGENTS = ("claude", "codex", "gemini", "kimi", "pi")
_PAGE = 4096
_CONTEXT = multiprocessing.get_context("fork")


def damage(file: Path, chance: random.Random) -> str:
    """Do something to a data file; return what."""
    size = file.stat().st_size
    kind = chance.choice(("bit", "bits", "page", "pages", "cut", "emptied", "removed", "metas"))
    if kind in ("bit", "bits"):
        some = bits(file, chance)
        numbers = [next(some) for _ in range(1 if kind == "bit" else chance.randrange(2, 20))]
        for bit in numbers:
            flip(file, bit)
        return f"bits {numbers} flipped"
    if kind in ("page", "pages"):
        first = chance.randrange(size // _PAGE)
        count = 1 if kind == "page" else chance.randrange(1, 16)
        with file.open("r+b") as data:
            data.seek(first * _PAGE)
            data.write(
                chance.randbytes(count * _PAGE) if chance.random() < 0.3 else bytes(count * _PAGE)
            )
        return f"{count} pages from {first} overwritten"
    if kind == "metas":
        with file.open("r+b") as data:
            data.write(bytes(2 * _PAGE))
        return "both meta pages zeroed"
    if kind == "cut":
        length = chance.randrange(size)
        os.truncate(file, length)
        return f"cut to {length} bytes"
    if kind == "emptied":
        os.truncate(file, 0)
    else:
        file.unlink()
    return kind


def stored(root: Path) -> dict[str, Any]:
    """Conversation -> its turns without their spans, and its title."""
    with Archive.open(root, create=False) as archive:
        return {
            summary.id: (
                summary.title,
                [
                    (str(turn.role), repr(turn.parts), bool(turn.meta.get(DAMAGED)))
                    for turn in archive.get(summary.id).turns
                ],
            )
            for summary in archive.scan()
        }


def _mend(root: Path, home: Path) -> dict[str, Any]:
    """What a user does: repair, sync, verify; what there is then."""
    os.environ.update(
        HOME=str(home), DEJAVU_ARCHIVE=str(root), DEJAVU_STATE_HOME=str(root.parent / "state")
    )
    try:
        with Archive.open(root, create=False) as archive:
            before = archive.maintenance.verify().faults
    except CorruptArchiveError as error:
        before = [str(error)]
    result = repair()
    with Archive.open(root) as archive:
        report = sync_homes(archive, [Home(home, {}, "local")])
        faults = archive.maintenance.verify().faults
    return {
        "before": before, "result": result._asdict(), "failed": report.unreadable,
        "faults": faults, "stored": stored(root),
    }  # fmt: skip


def _run(root: Path, home: Path, pipe: Connection) -> None:
    with Path(os.devnull).open("w") as silent:
        os.dup2(silent.fileno(), 2)
    try:
        pipe.send(_mend(root, home))
    except Exception as error:
        pipe.send(f"{error.__class__.__name__}: {error}")


def mended(root: Path, home: Path) -> dict[str, Any] | str:
    """`_mend` in a process of its own; what it raised, or how it died."""
    mine, theirs = _CONTEXT.Pipe(duplex=False)
    child = _CONTEXT.Process(target=_run, args=(root, home, theirs))
    child.start()
    theirs.close()
    try:
        result = mine.recv() if mine.poll(120) else None
    except EOFError:
        result = None
    child.join(10)
    return f"died with {child.exitcode}" if result is None else result


def problem(before: dict[str, Any], after: dict[str, Any] | str, *, files: bool) -> str:
    """What is wrong with a repair; "" if nothing is."""
    if isinstance(after, str):
        return after
    if after["faults"]:
        return f"verify afterwards: {after['faults'][:3]}"
    if after["failed"]:
        return f"sync afterwards: {after['failed'][:3]}"
    if files:
        missing = [name for name, turns in before.items() if after["stored"].get(name) != turns]
        return f"not as before: {missing[:3]}" if missing else ""
    known = {*after["result"]["partly"], *after["result"]["gone"]}
    for name, turns in before.items():
        if after["stored"].get(name) != turns and name not in known:
            there = after["stored"].get(name)
            # Where nothing named it any more it may be missing, or have lost a title given to it.
            if after["result"]["pages_lost"] and (there is None or there[1] == turns[1]):
                continue
            return f"{name} is not as before, and nobody says so"
    # A fork whose parser's state is lost is read with what it was forked from: that is said.
    unsure = {name for name, lost in after["result"]["partly"].items() if lost is None}
    for name, (_, turns) in after["stored"].items():
        if name in unsure:
            continue
        there = {turn[1] for turn in before.get(name, ("", []))[1]}
        if any(not marked and text not in there for _, text, marked in turns):
            return f"{name} shows what never was"
    return ""


def drill(budget: Budget) -> Outcome:
    """Damage and repair as often as the budget allows."""
    outcome = Outcome("repairs", unit="archives damaged and repaired", counts={"without files": 0})
    with tempfile.TemporaryDirectory() as scratch:
        home, empty = Path(scratch) / "home", Path(scratch) / "empty"
        empty.mkdir()
        for agent in AGENTS:
            shutil.copytree(
                HOMES / agent, home, dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("expected.txt"),
            )  # fmt: skip
        whole = Path(scratch) / "whole" / "archive"
        code, before = in_child(lambda root: _archived(root, home), whole)
        assert code == 0, before
        while budget.more():
            root = Path(scratch) / "work" / "archive"
            shutil.rmtree(root.parent, ignore_errors=True)
            shutil.copytree(whole, root)
            what = damage(root / "data.mdb", budget.random)
            files = budget.random.random() < 0.6
            hidden = Path(scratch) / "hidden"
            if not files:
                home.rename(hidden)
                home.mkdir()
            try:
                found = problem(before, mended(root, home), files=files)
            finally:
                if not files:
                    shutil.rmtree(home)
                    hidden.rename(home)
            outcome.rounds += 1
            outcome.counts["without files"] += not files
            if found:
                outcome.fail(f"{what}, {'with' if files else 'without'} the agents' files: {found}")
    return outcome


def _archived(root: Path, home: Path) -> dict[str, Any]:
    root.parent.mkdir(exist_ok=True)
    with Archive.open(root) as archive:
        sync_homes(archive, [Home(home, {}, "local")])
        archive.update_index()
    return stored(root)
