"""`dejavu archive restore BACKUP`: replace the archive with a backup; the old one is moved aside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from dejavu.archive.maintenance.backup import restore as replace_archive
from dejavu.config.paths import archive_location, archive_shown, is_server, private_folder

from ..command_line.output import confirm, one_line, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError


def command(
    backup: Annotated[
        Path,
        Argument(exists=True, file_okay=False, help="A folder made by `dejavu archive backup`."),
    ],
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Replace the archive with a backup.

    On a terminal it asks first. The old archive is moved aside.
    """
    location = archive_location()
    if not is_server(location):
        private_folder(Path(location).parent)
        if not yes and sys.stdin.isatty() and (Path(location) / "archive.json").is_file():
            shown = one_line(archive_shown())
            if not confirm(f"Replace the archive {shown}? The old one is moved aside."):
                raise ExitError(1)
    aside = replace_archive(backup, location)
    moved = f"; the old archive is in {aside}" if aside else ""
    print_note(f"{one_line(archive_shown())} is restored from the backup{moved}")
