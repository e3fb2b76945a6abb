"""`dejavu restore BACKUP`: put a backup in the archive's place; the old one is moved aside."""

from pathlib import Path
from typing import Annotated

import typer

from dejavu.archive import Archive
from dejavu.config.paths import archive_location, archive_shown, private_folder

from .output import line, note


def command(
    backup: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="What `dejavu backup` made.")
    ],
) -> None:
    """Put a backup in the archive's place."""
    location = archive_location()
    if "://" not in location:
        private_folder(Path(location).parent)
    aside = Archive.restore(backup, location)
    told = f"; what was there is in {aside}" if aside else ""
    note(f"{line(archive_shown())} is the backup now{told}")
