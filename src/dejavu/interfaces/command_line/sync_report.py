"""Print what an import does and did; after a final one, whether anything was left behind and why."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from dejavu.ingest.report import Report
from dejavu.ingest.source_failures import reason_alone
from dejavu.providers import Source

from .output import one_line, print_note


@contextmanager
def progress_bar(*, json: bool) -> Generator[Callable[[Source, Report], None] | None]:
    """A bar on stderr, on a terminal only: sources, megabytes a second, seconds left."""
    if json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # of no use but here
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.fields[text]}")
    console = Console(stderr=True)
    with Progress(BarColumn(20), text, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("sync", total=None, text="")
        began = time.monotonic()

        def show(source: Source, report: Report) -> None:
            done = report.progress_text(time.monotonic() - began)
            done = f"{done}  {source.agent}"
            if report.total:
                bar.update(task, text=done, total=report.total, completed=report.sources)
            else:
                bar.update(task, text=done)

        yield show


def summary_line(report: Report) -> str:
    """How many session files were read and what came of them."""
    conversations = _count(len(report.conversations), "conversation")
    files = _count(report.sources, "session file")
    line = f"{files} checked, {report.read} changed: {conversations}, {_size(report.bytes)}"
    return f"{line}; {report.copies} already here from another machine" if report.copies else line


def print_truncated(report: Report) -> None:
    """Name the session files with records too long to be read whole."""
    for path, count in report.truncated:
        records = _count(count, "record")
        print_note(
            f"{one_line(path)}: {records} too long to be read whole (`longest_line` under [sync] in "
            "config.toml): kept raw, and the beginning as a turn"
        )


def print_unreadable(report: Report, label: str) -> None:
    """Name each session file that could not be read, once, and why."""
    for path, reason in dict.fromkeys(report.unreadable):
        print_note(f"{label}: {one_line(path)}: {one_line(reason_alone(path, reason))}")


def print_final(report: Report) -> bool:
    """Name everything that was left behind and why; return whether that is nothing."""
    print(summary_line(report))
    print_truncated(report)
    print_unreadable(report, "left behind")
    if report.unreadable:
        count = _count(len(report.unreadable), "session file")
        print_note(f"{count} not completely archived; everything else that was readable is")
        return False
    print("nothing was left behind: all that was readable is in the archive")
    return True


def to_dict(report: Report) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "sources": report.sources,
        "read": report.read,
        "bytes": report.bytes,
        "conversations": sorted(report.conversations),
        "unreadable": [{"path": path, "reason": reason} for path, reason in report.unreadable],
        "truncated": [{"path": path, "records": count} for path, count in report.truncated],
        "skipped": [{"path": path, "reason": reason} for path, reason in report.skipped],
        "copies": report.copies,
        "unknown_types": dict(report.drift),
    }


def _size(count: int) -> str:
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1e3:,.0f} kB" if count < 1_000_000 else f"{count / 1e6:,.1f} MB"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
