"""`dejavu archive restore BACKUP`: replace the archive with a backup; the old one is moved aside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dejavu.archive import Archive
from dejavu.config.archive_address import archive_shown
from dejavu.config.paths import archive_location, is_server, private_folder

from ..command_line.output import one_line, print_note
from ..command_line.parameters import Argument


def command(
    backup: Annotated[
        Path,
        Argument(exists=True, file_okay=False, help="A folder made by `dejavu archive backup`."),
    ],
) -> None:
    """Replace the archive with a backup."""
    location = archive_location()
    if not is_server(location):
        private_folder(Path(location).parent)
    aside = Archive.restore(backup, location)
    moved = f"; the old archive is in {aside}" if aside else ""
    print_note(f"{one_line(archive_shown())} is the backup now{moved}")
