"""Reports that screens deny: by agent and version, with the recording that shows each.

    python -m benchmarks.scrapers.disagreements [--json] [FOLDER ...]

Every `*.cast` below the folders (by default the recordings of ../shared) is replayed as an observer
follows a session. The agent is that of the `truth.json` next to it, else the file's name says it:
`AGENT@VERSION-ANYTHING.cast`, as the programs of tests/e2e call theirs with $RECORD. A row is what the
agent reported, what its screen showed for more than a second, how often, for how long at most, and
the first place. `followed` counts those where the status followed the screen.
"""

import argparse
import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.scrapers.turns import RECORDINGS, replay

from dejavu.scrapers import SessionReader

_NAMED = re.compile(r"(?P<agent>[a-z][a-z-]*)@(?P<version>[\w.]+)")


@dataclass(frozen=True)
class Found:
    """One disagreement: when it was seen, for how many seconds it lasted, where."""

    agent: str
    version: str
    reported: str
    read: str
    since: float
    seconds: float
    followed: bool
    cast: str


def who(cast: Path) -> tuple[str, str]:
    """The agent and the version of a recording; ("", "") where nothing says it."""
    truth = cast.with_name("truth.json")
    if truth.exists():
        facts = json.loads(truth.read_text(encoding="utf-8"))
        version = re.search(r"\d+(?:\.\d+)+", str(facts.get("version", "")))
        return facts["agent"], version.group() if version else ""
    named = _NAMED.match(cast.name)
    return (named["agent"], named["version"]) if named is not None else ("", "")


def disagreements(cast: Path) -> tuple[str, str, bool, list[Found]]:
    """The agent, its version, whether it reported anything, and what its screen denied of that."""
    agent, version = who(cast)
    held: dict[float, Found] = {}
    reported = False

    def look(reader: SessionReader) -> None:
        nonlocal reported
        reported |= bool(reader.agreement)
        found = reader.disagreement
        if found is not None:
            held[found.since] = Found(
                agent, version, str(found.reported), str(found.read), found.since,
                reader.sampled_at - found.since, found.followed, str(cast),
            )  # fmt: skip

    if agent:
        replay(cast, agent, each=look)
    return agent, version, reported, list(held.values())


def table(casts: list[Path]) -> Iterator[dict[str, Any]]:
    """A row an agent, version and kind of disagreement; one without a kind where there was none."""
    sessions: dict[tuple[str, str], int] = {}
    rows: dict[tuple[str, str, str, str], list[Found]] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for agent, version, reported, found in pool.map(disagreements, casts):
            if reported:
                sessions[agent, version] = sessions.get((agent, version), 0) + 1
                for one in found:
                    rows.setdefault((agent, version, one.reported, one.read), []).append(one)
    for (agent, version), count in sorted(sessions.items()):
        kinds = {key: found for key, found in rows.items() if key[:2] == (agent, version)}
        head = {"agent": agent, "version": version, "sessions": count}
        if not kinds:
            yield {**head, "reported": "", "read": "", "times": 0}
        for (_, _, reported_as, read), found in sorted(kinds.items()):
            first = found[0]
            yield {
                **head, "reported": reported_as, "read": read, "times": len(found),
                "followed": sum(one.followed for one in found),
                "longest": round(max(one.seconds for one in found), 1),
                "shown_by": f"{first.cast} at {first.since:.1f} s",
            }  # fmt: skip


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("folders", nargs="*", type=Path, default=[RECORDINGS])
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    rows = list(table(sorted(cast for folder in given.folders for cast in folder.rglob("*.cast"))))
    if given.json:
        print(json.dumps(rows, indent=1))
        return
    print(
        "| agent | version | sessions | reported | screen | times | followed | longest | shown by |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        longest = f"{row['longest']} s" if row["times"] else ""
        print(
            f"| {row['agent']} | {row['version']} | {row['sessions']} | {row['reported']} | {row['read']} "
            f"| {row['times']} | {row.get('followed', '')} | {longest} | {row.get('shown_by', '')} |"
        )


if __name__ == "__main__":
    main()
