"""`dejavu redact [FILE|-]`: the redactor as a filter.

Text (with `--columns N`: screen rows wrapped at N) is printed with secrets replaced by
`[redacted:<rule>:<hmac8>]`. `--retro` applies today's rules to screen turns already stored; the
agents' own text stays as it is, and stderr says how much of that holds secrets (`dejavu secrets`).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.config.redaction_key import redaction_key
from dejavu.ingest.redact_archive import redact_stored
from dejavu.model import InvalidValueError
from dejavu.redact import Redactor, secret_values

from ..filters import check_file
from .output import print_note

if TYPE_CHECKING:
    import typer


def command(
    file: Annotated[Path, typer.Argument(help="A text file; - or nothing reads stdin.")] = Path(
        "-"
    ),
    columns: Annotated[
        int | None,
        typer.Option("--columns", min=2, help="Join screen rows wrapped at this many columns."),
    ] = None,
    retro: Annotated[
        bool,
        typer.Option("--retro", help="Redact the stored screen turns instead."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, change nothing.")
    ] = False,
) -> None:
    """Replace secrets in a text or in stored turns."""
    if retro:
        _retro(dry_run=dry_run)
        return
    if dry_run:
        raise InvalidValueError("--dry-run goes with --retro")
    if str(file) != "-":
        check_file(file)
    redactor = Redactor(redaction_key())
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    text = data.decode("utf-8", "surrogateescape")
    if columns is None:
        clean = redactor.redact(text)
    else:
        rows = text.split("\n")
        clean = "\n".join(redactor.redact_rows(rows, columns))
    sys.stdout.buffer.write(clean.encode("utf-8", "surrogateescape"))


def _retro(*, dry_run: bool) -> None:
    """Redact stored screen turns; then compact the archive, so that the old text is gone."""
    redactor = Redactor(redaction_key(), secret_values(os.environ))
    with open_archive(write=not dry_run) as archive:
        done = redact_stored(archive, redactor.redact, dry_run=dry_run)
        if done.changed and not dry_run:
            archive.gc(compact=True)
    for identity in done.changed:
        print(identity)
    verb = "would change" if dry_run else "changed"
    print_note(f"{done.looked_at} conversations from screens checked, {len(done.changed)} {verb}")
