"""How often each agent's own report was denied by its screen: `reports.json` in the state folder.

One record for each agent, version, reported state and state on the screen: how often, and when last.
Observers add to it under a file lock. Holds no text of any screen. Cost: O(`_MOST` records) a call.
"""

from typing import Any, NamedTuple, cast

from dejavu.config.files import held_lock, read_json, write_json
from dejavu.config.paths import private_folder, state_home
from dejavu.scrapers.state import Disagreement

FILE, LOCK = "reports.json", "reports.lock"
_PATIENCE = 1.0  # seconds in which the lock must be had
_MOST = 400  # records; those that were not added to for longest go first


class ReportFault(NamedTuple):
    """What an agent's version reported and its screen denied, how often, and when last (Unix s)."""

    agent: str
    version: str
    reported: str
    read: str
    times: int
    last_at: float


def add(agent: str, version: str, found: Disagreement, now: float) -> None:
    """Count one disagreement.

    Raises:
        OSError: it could not be written, or another process holds its lock.
    """
    folder = private_folder(state_home())
    with held_lock(folder / LOCK, _PATIENCE) as held:
        if not held:
            raise BlockingIOError(f"{LOCK} is held")
        records = {record[:4]: record for record in load()}
        key = agent, version, str(found.reported), str(found.read)
        before = records.get(key)
        records[key] = ReportFault(*key, 1 if before is None else before.times + 1, now)
        newest = sorted(records.values(), key=lambda record: -record.last_at)[:_MOST]
        plain = [record._asdict() for record in newest]
        write_json(folder / FILE, {"version": 1, "records": plain})


def load() -> list[ReportFault]:
    """Return what was counted, by agent and version; nothing where the file is missing or damaged."""
    stored: Any = read_json(state_home() / FILE).get("records", [])
    found: list[ReportFault] = []
    entries = cast("list[dict[str, Any]]", stored) if isinstance(stored, list) else []
    for entry in entries:
        try:
            found.append(ReportFault(**entry))
        except TypeError:  # of another version
            continue
    return sorted(found)
