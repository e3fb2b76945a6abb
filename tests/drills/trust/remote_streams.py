"""A machine that sends anything but an honest tar archive: noise, sparse files, bad headers, no end.

Each attack stands between two honest session files and goes through `sync_machine`, by the `docker` of a
stand-in or by its `ssh`. It holds where the sync ends in time, the honest files are archived, the attack is
named, nothing is written outside of the mirror, and the mirror stays small.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from tests.factories import hostile_streams as hostile

from dejavu.archive import Archive
from dejavu.ingest.machines import parse_address, streams, sync_machine
from dejavu.ingest.machines.mirror import mirrors
from dejavu.model import ProviderError

from ..budget import Budget
from . import Tally

ANGLE = "remote streams"
FINDINGS = ("H6",)

_SILENCE, _SLOW = 1.5, 3.0  # seconds, in place of minutes
_SECONDS = 40.0  # of one attack, on a busy machine
_MOST_MIRRORED = 64 << 20


def attack(budget: Budget, tally: Tally) -> None:
    """Draw attacks in turn, each by one of the two ways."""
    names = list(hostile.ATTACKS)
    budget.random.shuffle(names)
    place = 0
    while budget.more():
        name, way = names[place % len(names)], budget.random.choice(("docker", "ssh"))
        place += 1
        with _scratch() as folder:
            problem = attempt(name, way, budget, folder)
            tally.record(
                not problem, f"{way}, {name}, seed {budget.seed}, attack {place}: {problem}"
            )


@contextmanager
def _scratch() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="dejavu-drill-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def attempt(name: str, way: str, budget: Budget, folder: Path) -> str:
    """Run one attack; what fell, or an empty text."""
    one = hostile.ATTACKS[name](budget.random)
    program = hostile.stand_in(folder / "bin")
    stream = folder / "stream"
    stream.write_bytes(hostile.between(one))
    honest = [f"{hostile.FOLDER}/{n}.jsonl" for n in ("before", "later")]
    (folder / "listing").write_bytes(hostile.listing(honest))
    environment = {
        "HOME": str(folder / "home"), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(folder / "state"), "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"), "DEJAVU_SSH": str(program), "STREAM": str(stream),
        "LISTING": str(folder / "listing"), "LISTED": "end",
        "AFTER": "end" if one.after == "cut" else one.after,
    }  # fmt: skip
    (folder / "canary").mkdir()
    (folder / "home").mkdir()
    address = parse_address("docker://box" if way == "docker" else "ssh://box")
    began, named = time.monotonic(), ""
    with (
        patch.dict(os.environ, environment),
        patch.object(streams, "SILENCE", _SILENCE),
        patch.multiple(streams, SLOW_SECONDS=_SLOW, SLOWEST=1000.0),
        Archive.open(folder / "archive") as archive,
    ):
        try:
            report = sync_machine(archive, address, instance="box", agent="claude")
            named = " ".join(f"{path}: {reason}" for path, reason in report.unreadable)
        except ProviderError as error:
            named = str(error)
        took = time.monotonic() - began
        kept = {head.native_id for head in archive.scan()}
        size = sum(path.stat().st_size for path in mirrors().rglob("*") if path.is_file())
    return _fallen(one, kept, named, took, size, list((folder / "canary").iterdir()))


def _fallen(
    one: hostile.Attack, kept: set[str], named: str, took: float, size: int, outside: list[Path]
) -> str:
    if took > _SECONDS:
        return f"took {took:.0f} s"
    if outside:
        return f"wrote {outside}"
    if size > _MOST_MIRRORED:
        return f"wrote {size:,} bytes"
    wanted = {"before", "later"} if one.has_rest else {"before"}
    if not wanted <= kept:
        return f"lost {sorted(wanted - kept)} ({named})"
    if one.is_named and "box" not in named:
        return f"not named: {named!r}"
    return ""
