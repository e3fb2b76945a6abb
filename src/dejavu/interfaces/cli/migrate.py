"""`dejavu archive migrate FROM TO`: copy an archive into an empty folder or server, and prove it equal.

The work is `archive/maintenance/copy_store.py`'s; this says what it did and how to go on.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.config.paths import is_server, without_password
from dejavu.model import InvalidValueError

from ..command_line.output import one_line, print_json, print_note
from ..command_line.parameters import Argument, Option

if TYPE_CHECKING:
    from dejavu.archive.maintenance.copy_store import CopyReport, Progress

    from ..command_line.parameters import Json

_EVERY = 0.5  # seconds between two lines of progress


def command(
    source: Annotated[
        str, Argument(metavar="FROM", help="The archive: a folder or a postgresql:// URL.")
    ],
    target: Annotated[str, Argument(metavar="TO", help="Where to: a new folder or a URL.")],
    replace: Annotated[
        bool, Option("--replace", help="Move an archive that is there aside first.")
    ] = False,
    json: Json = False,
) -> None:
    """Copy an archive to another folder or server, and check it."""
    from dejavu.archive import Archive
    from dejavu.archive.backends.audit import note_work
    from dejavu.archive.backends.registry import open_store
    from dejavu.archive.maintenance import copy_store

    source, target = _location(source), _location(target)
    if source == target:
        raise InvalidValueError("FROM and TO are the same archive")
    with Archive.open(source, create=False) as archive:
        archive_id = archive.backend.read(copy_store.archive_id)
        aside = copy_store.set_aside(target, archive_id) if replace else None
        opened = open_store(target, create=True, readonly=False).backend
        try:
            report = copy_store.copy_store(archive.backend, opened, _progress())
            note_work(opened, "migrate", without_password(source))
        finally:
            opened.close()
    if json:
        print_json({**report._asdict(), "source": without_password(source),
                    "target": without_password(target), "set_aside": aside})  # fmt: skip
        return
    _print(report, without_password(target), aside)


def _location(words: str) -> str:
    """A URL as it is, a path whole: what is compared must be of one form."""
    return words if is_server(words) else os.path.realpath(Path(words).expanduser())


def _progress() -> Progress:
    """On a terminal, a line that is written again."""
    shown = time.monotonic()
    visible = sys.stderr.isatty()

    def tell(records: int, size: int) -> None:
        nonlocal shown
        if visible and time.monotonic() - shown >= _EVERY:
            shown = time.monotonic()
            print(f"\r{records:,} records, {size / 1e6:,.1f} MB\x1b[K", end="", file=sys.stderr)

    return tell


def _print(report: CopyReport, target: str, aside: str | None) -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    gone_on = ", going on with an earlier call" if report.continued else ""
    print(
        f"{report.records:,} records, {report.size / 1e6:,.1f} MB, copied{gone_on}, read back and "
        f"equal: BLAKE2b {report.checksum}"
    )
    if aside:
        print_note(f"what was there is kept as {one_line(aside)}")
    if report.changed:
        print_note(f"{report.changed:,} records were written while this ran; they are copied, too")
    if report.damaged:
        print_note(
            f"{report.damaged:,} records are damaged in both; run `dejavu archive verify --repair`"
        )
    print_note(f"to use the copy set DEJAVU_ARCHIVE={one_line(target)}; the old one stays as it is")
