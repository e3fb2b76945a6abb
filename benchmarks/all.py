"""`make bench`: one run of every benchmark, one table, and the record that README's figures come from.

    python -m benchmarks.all [NAME ...] [--no-record]

Each program prints JSON; `figures.py` says which figure stands where. The table shows each beside
its peer of the same run, with the limit and the load of the machine when its program began. What
was measured is written to `recorded.json` (date, commit, load and seconds of each program beside
its figures); what was not run keeps its last record. Ten to twenty minutes; the `LONG` ones only run
when named: `make bench ARGS="status_latency"`. What reads the material beside the repo (../shared)
is left out, and named, without it. `make figures` then writes README.
"""

import argparse
import datetime as dt
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import ROOT, SHARED, figures

HERE = Path(__file__).resolve().parent
RECORD = HERE / "recorded.json"

Record = dict[str, dict[str, Any]]


def read_record() -> Record:
    """What was recorded: `programs` (how each was run), `figures` and `earlier` ones, all by name."""
    if not RECORD.exists():
        return {"programs": {}, "figures": {}, "earlier": {}}
    record: Record = json.loads(RECORD.read_text("utf-8"))
    return record


def commit() -> str:
    """The commit that is measured, with a `+` where files differ from it."""
    git = ["git", "-C", str(HERE)]
    name = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True
    )
    return name.stdout.strip() + "+" * bool(changed.stdout.strip())


def run(name: str, record: Record) -> str:
    """Run one program and put its figures into the record; what it failed of, "" where it did not."""
    module, *arguments = {**figures.PROGRAMS, **figures.LONG}[name]
    if name in figures.ON_SHARED and not (SHARED / "data").is_dir():
        print(
            f"{name}: left out, it reads ../shared, which is not part of the repo", file=sys.stderr
        )
        return ""
    load, began = os.getloadavg()[0], time.monotonic()
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    seconds = time.monotonic() - began
    try:
        output = json.loads(done.stdout)
    except ValueError:
        return f"{name} ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:]}"
    record["figures"].update(figures.of_program(name, output))
    record["programs"][name] = {
        "at": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "commit": commit(),
        "command": " ".join(["python -m", f"benchmarks.{module}", *arguments]),
        "load": round(load, 1),
        "seconds": round(seconds),
    }
    print(f"{name}: {seconds:.0f} s", file=sys.stderr, flush=True)
    return ""


def number(value: float) -> str:
    """A figure with three digits that count."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def rows(record: Record) -> list[tuple[str, ...]]:
    """The table: metric, ours, peer, limit, ratio, load; a limit that is missed is marked."""
    table = [("metric", "ours", "peer", "limit", "ratio", "load")]
    measured = record["figures"]
    for row in figures.TABLE:
        ours, peer = measured.get(row.ours), measured.get(row.peer)
        if not isinstance(ours, int | float):
            continue
        ratio = ours / peer if isinstance(peer, int | float) and peer else None
        judged = ratio if row.peer else ours
        limit = ""
        if row.limit is not None and judged is not None:
            good = judged >= row.limit if row.at_least else judged <= row.limit
            sign = "≥" if row.at_least else "≤"
            limit = f"{sign} {row.limit:g}{'' if good else ' (missed)'}"
        beside = f"{number(peer)} ({row.peer_name})" if isinstance(peer, int | float) else ""
        run_of = record["programs"].get(figures.FIGURES[row.ours].program, {})
        table.append(
            (
                row.metric, f"{number(ours)} {row.unit}".strip(), beside, limit,
                "" if ratio is None else number(ratio), str(run_of.get("load", "")),
            )
        )  # fmt: skip
    return table


def as_markdown(table: list[tuple[str, ...]]) -> str:
    """The table as README has it."""
    lines = ["| " + " | ".join(row) + " |" for row in table]
    lines.insert(1, "|" + "---|" * len(table[0]))
    return "\n".join(lines)


def as_text(table: list[tuple[str, ...]]) -> str:
    """The table in columns."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )


def main() -> int:
    """Run, record, and print the table; 1 where a program failed."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("names", nargs="*", metavar="NAME")
    options.add_argument("--no-record", action="store_true", help="leave recorded.json as it is")
    given = options.parse_args()
    known = {**figures.PROGRAMS, **figures.LONG}
    if unknown := [name for name in given.names if name not in known]:
        options.error(f"no benchmark {unknown[0]!r}; there are {', '.join(known)}")
    new: Record = {"programs": {}, "figures": {}}
    failures = [told for name in given.names or figures.PROGRAMS if (told := run(name, new))]
    record = read_record()  # as it is by now: another run may have written its own
    for kind, entries in new.items():
        record[kind].update(entries)
    if not given.no_record:
        text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False)
        RECORD.write_text(text + "\n", "utf-8")
    print(as_text(rows(record)))
    for told in failures:
        print(told, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
