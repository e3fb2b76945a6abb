"""How well each agent's screen was read, over all sessions: `reading.json` in the state folder.

One record for each agent, its version, the terminal's size and the rules it was read by: sums of
agreement with the agent's own trace (see `scrapers.self_check`), and since when. Rules that changed
start over. Observers add to it under a file lock. Holds no text of any screen. Cost: O(`_MOST`
records) a call.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.files import held_lock, read_json, write_json
from dejavu.config.paths import private_folder, state_home
from dejavu.scrapers.self_check import Agreement

FILE, LOCK = "reading.json", "reading.lock"
_PATIENCE = 1.0  # seconds
"""How often the lock is tried, and the seconds between."""

_MOST = 400
"""Records; those that were not added to for longest go first."""

_WEIGHT = 200.0
"""Turns, exchanges or events past which older ones count less and less; frames count ten times."""


class Record(NamedTuple):
    """What is known of one agent, version and size under the same rules (`pack`: their digest)."""

    agent: str
    version: str
    columns: int
    lines: int
    pack: str
    since: float
    updated_at: float
    agreement: Agreement


class Reading(NamedTuple):
    """What is known of an agent's version over all sizes. `score` is None while that is too little.

    `low`: whether it is below the operator's bar.
    """

    agent: str
    version: str
    agreement: Agreement
    since: float
    updated_at: float
    bar: float

    @property
    def score(self) -> float | None:
        """The lower one of text and states, by what was compared often enough."""
        return self.agreement.sufficient.score

    @property
    def low(self) -> bool:
        """Whether the screen is read too badly to be relied on."""
        return self.score is not None and self.score < self.bar

    @property
    def misreads_states(self) -> bool:
        """Whether its states are not to be relied on: by themselves where enough were compared."""
        states = self.agreement.sufficient.of_states
        return self.low if states is None else states < self.bar


def add(
    agent: str, version: str, size: tuple[int, int], pack: str, agreement: Agreement, now: float
) -> None:
    """Add what a session has compared since it last did.

    Raises:
        OSError: it could not be written, or another process holds its lock.
    """
    with _locked() as path:
        records = {_key(record): record for record in _records(path)}
        key = agent, version, *size
        before = records.get(key)
        if before is None or before.pack != pack:
            before = Record(agent, version, *size, pack, now, now, Agreement())
        before.agreement.add(agreement)
        faded = before.agreement.faded(_WEIGHT)
        records[key] = before._replace(updated_at=now, agreement=faded)
        newest = sorted(records.values(), key=lambda record: -record.updated_at)[:_MOST]
        write_json(path, {"version": 1, "records": [_plain(record) for record in newest]})


def load(bar: float) -> list[Reading]:
    """Return what is known, an agent's newest version first."""
    merged: dict[tuple[str, str], Reading] = {}
    newest: dict[tuple[str, str], str] = {}
    records = sorted(_records(state_home() / FILE), key=lambda record: -record.updated_at)
    for record in records:
        key = record.agent, record.version
        reading = merged.get(key)
        if reading is None:
            newest[key] = record.pack
            reading = Reading(*key, Agreement(), record.since, record.updated_at, bar)
        elif record.pack != newest[key]:
            continue  # read by rules that are not in force any more
        reading.agreement.add(record.agreement)
        merged[key] = reading._replace(since=min(reading.since, record.since))
    return sorted(merged.values(), key=lambda reading: reading.agent)


def known(agent: str, version: str, pack: str, bar: float) -> Reading | None:
    """Return what is known of one agent's version under these rules.

    Without a version, of the one that was read last.
    """
    records = [
        record
        for record in _records(state_home() / FILE)
        if record.agent == agent and record.pack == pack and version in ("", record.version)
    ]
    if not records:
        return None
    last = max(records, key=lambda record: record.updated_at)
    total = Agreement()
    since = last.since
    for record in records:
        if record.version == last.version:
            total.add(record.agreement)
            since = min(since, record.since)
    return Reading(agent, last.version, total, since, last.updated_at, bar)


def _key(record: Record) -> tuple[str, str, int, int]:
    return record.agent, record.version, record.columns, record.lines


def _plain(record: Record) -> dict[str, Any]:
    agreement = record.agreement
    figures = {"turns": agreement.turns, "text": agreement.text, "states": agreement.states}
    return {**record._asdict(), "agreement": figures}


def _records(path: Path) -> Iterator[Record]:
    """Yield the records of a file; what is damaged, or of another form, is passed over."""
    rows = read_json(path).get("records")
    for row in rows if isinstance(rows, list) else ():  # pyright: ignore[reportUnknownVariableType] - JSON
        try:
            yield _decoded(row)  # pyright: ignore[reportUnknownArgumentType] - JSON
        except (TypeError, ValueError, KeyError, AttributeError):
            continue


def _decoded(row: dict[str, Any]) -> Record:
    figures = row["agreement"]
    states = {
        str(said): (float(compared), float(agreed))
        for said, (compared, agreed) in figures["states"].items()
    }
    return Record(
        agent=str(row["agent"]),
        version=str(row["version"]),
        columns=int(row["columns"]),
        lines=int(row["lines"]),
        pack=str(row["pack"]),
        since=float(row["since"]),
        updated_at=float(row["updated_at"]),
        agreement=Agreement(int(figures["turns"]), float(figures["text"]), states),
    )


@contextmanager
def _locked() -> Generator[Path]:
    """Hold the lock of the file, and give its path; wait for it a moment, never for long.

    Raises:
        BlockingIOError: another process holds it all the time.
    """
    folder = private_folder(state_home())
    with held_lock(folder / LOCK, _PATIENCE) as held:
        if not held:
            raise BlockingIOError(f"another process keeps {folder / LOCK} locked")
        yield folder / FILE
