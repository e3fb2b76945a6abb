"""`dejavu restore BACKUP`: put a backup in the archive's place; the old one is moved aside."""

from pathlib import Path
from typing import Annotated

import typer

from dejavu.archive import Archive

from ..paths import archive_location, private_folder
from .output import note


def command(
    backup: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="What `dejavu backup` made.")
    ],
) -> None:
    """Put a backup in the archive's place."""
    root = Path(archive_location())
    private_folder(root.parent)
    aside = Archive.restore(backup, root)
    note(f"{root} is the backup now" + (f"; what was there is in {aside}" if aside else ""))
