"""Drill: damaged session files through every provider. Nothing may raise, nothing may be doubled.

The homes of `tests/factories/data/homes` are copied, one file of one is damaged (bytes, or the
JSON in it), and the agent's provider reads it: once whole, once in two steps with the parser's
state between them. Expected are turns, or `OSError` and `ProviderError`, which name the file.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dejavu.model import ProviderError, Turn
from dejavu.providers import PROVIDERS, Home, Provider, Source

from .budget import SCRATCH, Budget, Outcome
from .mutation import mutate_bytes, mutate_document

HOMES = Path(__file__).resolve().parents[1] / "factories" / "data" / "homes"


def _read(provider: Provider, home: Path, before: bytes = b"", damaged: bytes = b"") -> int:
    """Read all sources of a home; the number of turns. One file of it is `damaged`, once `before`.

    Raises:
        AssertionError: turns stand twice, or not in order.
    """
    count = 0
    for source in provider.discover(Home(home, {})):
        try:
            deltas = list(provider.follow(source))
        except (OSError, ProviderError):
            continue
        whole, stepped = provider.parser(source), provider.parser(source)
        for delta in deltas:
            whole.feed(delta.data, delta.offset)
        updates = whole.take()
        for delta in deltas:
            stepped.feed(delta.data, delta.offset)
            stepped.take()
            stepped = provider.parser(source, stepped.state())
        raw = b"".join(delta.data for delta in deltas)
        for update in updates:
            count += len(update.turns)
            if not _repeats(raw):
                _check_once(source, _of_once(update.turns, before, damaged))
    return count


def _repeats(raw: bytes) -> bool:
    """Whether a line stands twice in the source itself: then its turn may, too."""
    lines = [line for line in raw.splitlines() if line.strip()]
    return len(set(lines)) < len(lines)


def _of_once(turns: Sequence[Turn], before: bytes, damaged: bytes) -> list[Turn]:
    """The turns but those whose id the damage wrote once more: a record doubled with its end cut."""

    def is_doubled(identity: str) -> bool:
        name = identity.encode("utf-8", "surrogatepass")
        return damaged.count(name) > before.count(name)

    return [turn for turn in turns if not is_doubled(turn.native_id or "")]


def _check_once(source: Source, turns: Sequence[Turn]) -> None:
    keys = [
        repr((turn.native_id, turn.role, turn.parts))
        for turn in turns
        if turn.native_id is not None
    ]
    assert len(set(keys)) == len(keys), f"{source.path.name}: a turn stands twice"


def drill(budget: Budget) -> Outcome:
    """Damage and read until the budget is spent."""
    outcome = Outcome("session files", unit="damaged files", constant=frozenset({"providers"}))
    homes = {path.name: path for path in sorted(HOMES.iterdir()) if path.name in PROVIDERS}
    outcome.counts = {"providers": len(homes), "turns read": 0}
    with tempfile.TemporaryDirectory(dir=SCRATCH) as scratch:
        copies = {name: Path(scratch) / name for name in homes}
        files: dict[str, list[Path]] = {}
        for name, path in homes.items():
            shutil.copytree(path, copies[name])
            files[name] = [
                file
                for file in sorted(copies[name].rglob("*"))
                if file.is_file() and file.name != "expected.txt"
            ]
        names = list(homes)
        whole = {path: path.read_bytes() for paths in files.values() for path in paths}
        while budget.more():
            name = budget.random.choice(names)
            path = budget.random.choice(files[name])
            before = whole[path]
            change = budget.random.choice((mutate_bytes, mutate_document, mutate_document))
            damaged = change(before, budget.random)
            path.write_bytes(damaged)
            try:
                outcome.counts["turns read"] += _read(
                    PROVIDERS[name], copies[name], before, damaged
                )
            except Exception as error:  # whatever it is, it is what the drill looks for
                where = path.relative_to(copies[name])
                outcome.fail(
                    f"{name}, {where}, round {outcome.rounds}: {type(error).__name__}: {error}"
                )
            finally:
                path.write_bytes(before)
            outcome.rounds += 1
    return outcome
