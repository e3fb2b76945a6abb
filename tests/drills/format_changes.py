"""Drill: an agent's format changes while its session is being followed, for seven agents.

Each round imports the first part of a home, changes it as an update of the agent, a user or another
program might (another kind of file, fields of other types, records nobody knows, a renamed folder, a
file that is gone, or blocked by a pipe, a folder, a link), lets the session go on, and imports again,
twice. Nothing may raise, nothing that was archived may be missing, nothing may stand twice, and the
archive must verify. Real recordings are used where the shared material is there.
"""

import json
import os
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.model import Relation
from dejavu.providers import Home

from .budget import Budget, Outcome
from .mutation import mutate_document
from .session_files import HOMES

AGENTS = ("claude", "codex", "kimi", "opencode", "gemini", "qwen", "copilot", "pi")
_SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "recordings"
_PROJECTS = ("projects", "sessions", "tmp")
Texts = Counter[tuple[str, str]]
Change = Callable[[Path, list[bytes], random.Random], list[bytes]]
"""`(file, lines still to come, chance)`: what is appended in the end."""


def homes_of(agent: str) -> list[Path]:
    """The homes with sessions of an agent: a made one, and real recordings."""
    recorded = sorted((_SHARED / agent).glob("*/native")) if _SHARED.is_dir() else []
    return [HOMES / agent, *(home for home in recorded if any(home.glob(".*/**/*")))]


def _kind(path: Path, rest: list[bytes], _chance: random.Random) -> list[bytes]:
    """The log became a document of all its records."""
    records = [
        json.loads(line) for line in [*path.read_bytes().splitlines(), *rest] if line.strip()
    ]
    messages = {record["id"]: record for record in records if "id" in record and "type" in record}
    gemini = "chats" in path.parts and "sessionId" in records[0] and "type" not in records[0]
    document = {**records[0], "messages": list(messages.values())} if gemini else records
    path.with_suffix(".json").write_text(json.dumps(document))
    path.unlink()
    return []


def _types(_path: Path, rest: list[bytes], chance: random.Random) -> list[bytes]:
    """Fields have other types from now on."""
    return [mutate_document(line, chance) for line in rest]


def _unknown(_path: Path, rest: list[bytes], chance: random.Random) -> list[bytes]:
    """Records that nobody knows stand between the others."""
    strange = [b'{"type":"brand.new","payload":{"deep":[1,{"x":null}]}}\n', b'["array"]\n', b"7\n"]
    return [line for known in rest for line in (chance.choice(strange), known)]


def _renamed(path: Path, rest: list[bytes], _chance: random.Random) -> list[bytes]:
    """The project's folder has another name, where sessions lie in such folders."""
    below = (up for up in path.parents if "home" in up.parent.parts)
    project = next((up for up in below if up.parent.name in _PROJECTS), None)
    if project is None:
        return rest
    folder = project.with_name(project.name + "-renamed")
    project.rename(folder)
    with (folder / path.relative_to(project)).open("ab") as file:
        file.writelines(rest)
    return []


def _deleted(path: Path, _rest: list[bytes], _chance: random.Random) -> list[bytes]:
    path.unlink()
    return []


def _blocked(path: Path, _rest: list[bytes], chance: random.Random) -> list[bytes]:
    """Something else stands in its place."""
    path.unlink()
    match chance.randrange(4):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to("/dev/zero")
        case _:
            path.write_bytes(b"\0" * 5000)
    return []


CHANGES: dict[str, Change] = {
    "kind": _kind, "field types": _types, "unknown records": _unknown,
    "renamed folder": _renamed, "deleted": _deleted, "blocked": _blocked,
}  # fmt: skip


def _change_database(path: Path, change: str, chance: random.Random) -> None:
    """The same to a database, as far as it has a meaning there."""
    if change in ("deleted", "blocked"):
        CHANGES[change](path, [], chance)
        return
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        table = chance.choice([name for (name,) in names if not name.startswith("sqlite_")])
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        # Other ids are other rows: what is gone then was deleted, not changed.
        column = chance.choice([name for name in columns if not name.endswith("id")] or columns)
        if change == "field types":
            odd = chance.choice(["[]", "{", 7, None, b"\xff"])
            connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?', (odd,))
        elif change == "unknown records":
            connection.execute(f'ALTER TABLE "{table}" ADD COLUMN brand_new TEXT')
        elif change == "kind":
            connection.execute(f'ALTER TABLE "{table}" RENAME TO brand_new')
        else:
            connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO brand_new')
        connection.commit()


def _log(home: Path, chance: random.Random) -> Path | None:
    """A session file of a home: lines with records, or a database."""
    files = [path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink()]
    databases = [path for path in files if path.suffix == ".db"]
    logs = [
        path for path in files if path.suffix == ".jsonl" and path.read_bytes().count(b"\n") > 2
    ]
    candidates = logs or databases
    return chance.choice(candidates) if candidates else None


def _texts(archive: Archive) -> dict[str, Texts]:
    """(role, words) of each conversation's turns."""
    return {
        summary.id: Counter(
            # Gemini's records lose joiners, until it writes them again.
            (str(turn.role), turn.text.replace("\u200d", ""))
            for turn in archive.get(summary.id).turns
            if turn.text
        )
        for summary in archive.scan()
    }


def _reference(home: Path, agent: str, folder: Path) -> Texts:
    """What stands in the whole home, unchanged, over all conversations."""
    with Archive.open(folder) as archive:
        sync_homes(archive, [Home(home, {})], agent=agent)
        return sum(_texts(archive).values(), Counter())


def round_of(agent: str, source: Path, change: str, scratch: Path, chance: random.Random) -> int:
    """One round; the number of turns that were archived before the change.

    Raises:
        AssertionError: something is missing, stands twice, or does not verify.
    """
    home = scratch / "home"
    shutil.copytree(source, home, ignore=shutil.ignore_patterns("expected.txt", "hooks.jsonl"))
    whole = _reference(home, agent, scratch / "reference")
    path = _log(home, chance)
    if path is None:
        return 0
    rest: list[bytes] = []
    if path.suffix != ".db":
        lines = path.read_bytes().splitlines(keepends=True)
        cut = chance.randrange(1, len(lines))
        path.write_bytes(b"".join(lines[:cut]))
        rest = lines[cut:]
    with Archive.open(scratch / "archive") as archive:
        sync_homes(archive, [Home(home, {})], agent=agent)
        before = _texts(archive)
        if path.suffix == ".db":
            _change_database(path, change, chance)
        else:
            rest = CHANGES[change](path, rest, chance)
        for _ in range(2):
            sync_homes(archive, [Home(home, {})], agent=agent)
        if rest:
            with path.open("ab") as file:
                file.writelines(rest)
        for _ in range(2):
            sync_homes(archive, [Home(home, {})], agent=agent)
        after = _texts(archive)
        for name, texts in before.items():
            lost = texts - after.get(name, Counter())
            assert not lost, f"{name} lost {list(lost)[:2]}"
        if change != "field types":
            doubled = sum(after.values(), Counter()) - whole
            doubled = Counter({key: n for key, n in doubled.items() if key in whole})
            # What a session that is behind has not yet, its fork cannot tell from its own.
            for summary in archive.scan():
                if summary.relation is Relation.FORK and (summary.native_id or "") not in path.name:
                    doubled -= after[summary.id]
            assert not doubled, f"twice: {list(doubled)[:2]}"
        faults = archive.maintenance.verify().faults
        assert not faults, faults[:2]
    return sum(sum(texts.values()) for texts in before.values())


def drill(budget: Budget) -> Outcome:
    """Change and import until the budget is spent."""
    outcome = Outcome("format changes", unit="sessions changed")
    outcome.counts = {"agents": len(AGENTS), "turns archived before": 0}
    turn = 0
    while budget.more():
        agent = AGENTS[turn % len(AGENTS)]
        change = list(CHANGES)[(turn // len(AGENTS)) % len(CHANGES)]
        turn += 1
        seed = budget.random.randrange(1 << 32)
        chance = random.Random(seed)
        source = chance.choice(homes_of(agent))
        with tempfile.TemporaryDirectory() as scratch:
            try:
                outcome.counts["turns archived before"] += round_of(
                    agent, source, change, Path(scratch), chance
                )
            except Exception as error:  # whatever it is, it is what the drill looks for
                outcome.fail(f"{agent}, {change}, {source.parent.name}, {seed}: {error!r}")
        outcome.rounds += 1
    return outcome
