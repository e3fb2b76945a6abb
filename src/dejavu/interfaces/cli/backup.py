"""`dejavu backup FOLDER`: a compact copy of the archive, taken while it is in use."""

from pathlib import Path
from typing import Annotated

import typer

from dejavu.archive.access import open_archive

from .output import print_note


def command(
    folder: Annotated[Path, typer.Argument(help="A folder that does not exist yet.")],
) -> None:
    """Copy the archive to a folder while it is in use."""
    if folder.exists():
        raise typer.BadParameter(f"{folder} exists; name a new folder")
    with open_archive() as archive:
        archive.backup(folder)
    print_note(f"copied to {folder}")
