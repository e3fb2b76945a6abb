"""`dejavu archive backup FOLDER`: a compact copy of the archive, taken while it is in use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dejavu.archive.access import open_archive
from dejavu.model import InvalidValueError

from ..command_line.output import print_note
from ..command_line.parameters import Argument

_PART = (
    "; it holds what this login may read, without conversations whose session log is shared with a "
    "project that is hidden from it"
)


def command(
    folder: Annotated[Path, Argument(help="A folder that does not exist yet.")],
) -> None:
    """Copy the archive to a folder while it is in use."""
    if folder.exists():
        raise InvalidValueError(f"{folder} exists; name a new folder")
    with open_archive() as archive:
        archive.maintenance.backup(folder)
        partial = archive.backend.read(lambda txn: txn.partial)
    print_note(f"copied to {folder}{_PART if partial else ''}")
