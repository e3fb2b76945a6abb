"""`dejavu redact [FILE|-]`: the redactor as a filter.

Text (with `--columns N`: screen rows wrapped at N) is printed with secrets replaced by
`[redacted:<rule>:<hmac8>]`. `--check` prints where secrets are, and no text. `--retro` applies
today's rules to screen turns already stored; the agents' own text stays as it is, and stderr says
so. `--native` masks that as well, in the archive's raw bytes and turns: every secret that `dejavu
secrets list` lists, in place and of the same length; it does not come back with the next sync, and
the digest of what was there is kept.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.archive.backends.audit import note_work
from dejavu.archive.redactor import redaction_key
from dejavu.ingest.redact_archive import redact_stored
from dejavu.model import InvalidValueError
from dejavu.model.plural import counted
from dejavu.redact import Redactor, secret_values

from ..command_line.output import confirm, one_line, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError
from ..filters import check_file

if TYPE_CHECKING:
    from dejavu.archive import Archive


def command(
    files: Annotated[
        list[Path] | None,
        Argument(
            metavar="FILE", help="A text file, several with --check; - or nothing reads stdin."
        ),
    ] = None,
    columns: Annotated[
        int | None,
        Option("--columns", min=2, help="Join screen rows wrapped at this many columns."),
    ] = None,
    check: Annotated[
        bool, Option("--check", help="Only list where secrets are; exit with 1 if there are any.")
    ] = False,
    retro: Annotated[
        bool,
        Option("--retro", help="Redact the stored screen turns instead."),
    ] = False,
    native: Annotated[
        bool, Option("--native", help="With --retro: agents' own text in the archive too.")
    ] = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would change, change nothing.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask (--native).")] = False,
) -> None:
    """Replace secrets in a text or in stored turns."""
    if retro:
        mask_stored(dry_run=dry_run, native=native, yes=yes)
        return
    if dry_run or native:
        raise InvalidValueError(f"--{'native' if native else 'dry-run'} goes with --retro")
    redactor = Redactor(redaction_key())
    if check:
        _check(files or [Path("-")], redactor)
        return
    if files and len(files) > 1:
        raise InvalidValueError("more than one file goes with --check")
    text = _read(files[0] if files else Path("-"))
    if columns is None:
        clean = redactor.redact(text)
    else:
        rows = text.split("\n")
        clean = "\n".join(redactor.redact_rows(rows, columns))
    sys.stdout.buffer.write(clean.encode("utf-8", "surrogateescape"))


def _read(file: Path) -> str:
    """A file's text, or that on stdin; bytes that are no text come back as they were."""
    if str(file) != "-":
        check_file(file)
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    return data.decode("utf-8", "surrogateescape")


def _check(files: list[Path], redactor: Redactor) -> None:
    """Print the place and the rule of each secret, never its value; raise ExitError if there is one."""
    found = False
    for file in files:
        for line, rule in redactor.places(_read(file)):
            print(f"{one_line(str(file))}:{line}: {rule}")
            found = True
    if found:
        raise ExitError(1)


def mask_stored(*, dry_run: bool, native: bool, yes: bool) -> None:
    """Redact what is stored; then compact the archive, so that the old text is gone."""
    redactor = Redactor(redaction_key(), secret_values(os.environ))
    with open_archive(write=not dry_run) as archive:
        done = redact_stored(archive, redactor.redact, dry_run=dry_run)
        taken = _native(archive, dry_run=dry_run, yes=yes) if native else False
        if (done.changed or taken) and not dry_run:
            work = "mask secrets" if taken else "redact"
            note_work(archive.backend, work, "stored text", conversations=len(done.changed))
            archive.maintenance.gc(compact=True)
    for identity in done.changed:
        print(identity)
    verb = "would change" if dry_run else "changed"
    print_note(
        f"{counted(done.looked_at, 'conversation')} from screens checked, {len(done.changed)} {verb}"
    )
    if not native:
        print_note(
            "what agents wrote themselves stays as it is: `dejavu secrets list` lists what is in it, "
            "`dejavu secrets mask --native` masks that in the archive, `dejavu delete` and "
            "`dejavu archive prune` delete conversations and turns"
        )


def _native(archive: Archive, *, dry_run: bool, yes: bool) -> bool:
    """Mask the secrets in agents' own text; whether anything was changed."""
    from dejavu.archive.maintenance.old_copies import copies_of
    from dejavu.services.secrets import Scan, listed, take_out

    redactor = Redactor(redaction_key())
    scan = Scan(archive, redactor)
    scan.catch_up()
    count = len(listed(archive, scan))
    if not count:
        print_note("no secrets in agents' own text")
        return False
    if dry_run:
        print_note(
            f"{count} secrets in agents' own text would be masked; `dejavu secrets list` lists them"
        )
        return False
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidValueError("no terminal to ask on; --yes masks, --dry-run counts")
        print_note(
            f"This masks {_counted(count, 'secret')} for good in the archive's copy of agents' own text."
        )
        if not confirm("Mask them?"):
            raise ExitError(130)
    done = take_out(archive, redactor, scan)
    masked, sources = _counted(done.masked, "secret"), _counted(done.sources, "source")
    changed = _counted(len(done.conversations), "conversation")
    print_note(
        f"{masked} masked in {sources} and {changed}; they do not come back. Agents' own files, "
        "backups and memories are not touched: rotate what was in them"
    )
    for copy in copies_of(archive.root):
        print_note(f"an older copy still holds them: {one_line(str(copy))}")
    if done.left:
        print_note(f"{done.left} could not be masked in place; `dejavu secrets list` lists them")
    return True


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
