"""What `undelete` put back, so that it can be taken back: one record a conversation.

Kept 0600 in `undeleted/` of the data folder and written before anything else is. It names each file
with its digest, the folders that were made, the indexes as they were, the rows that were added.

Tested in: tests/services/undelete/test_undelete.py
"""

from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.files import read_json, write_json
from dejavu.config.paths import data_home, private_folder
from dejavu.providers.restorer import Row

from .rows import decoded, encoded


class Change(NamedTuple):
    """One thing that was put back."""

    kind: str
    """`file`, `entry` or `rows`."""
    path: Path
    digest: str = ""
    """SHA-256 of the file as it was written."""
    before: bytes | None = None
    """An index as it was; None: there was none."""
    rows: tuple[Row, ...] = ()


class Record(NamedTuple):
    """All that was put back of one conversation. `pid`: the process that did it."""

    conversation: str
    pid: int
    folders: tuple[Path, ...] = ()
    """Folders that were made, the outermost first."""
    changes: tuple[Change, ...] = ()


def _path(conversation: str) -> Path:
    return data_home() / "undeleted" / f"{conversation}.json"


def load(conversation: str) -> Record | None:
    """The record of a conversation; None where nothing was put back."""
    stored = read_json(_path(conversation))
    if not stored:
        return None
    return Record(
        conversation,
        int(stored["pid"]),
        tuple(Path(name) for name in stored["folders"]),
        tuple(_change(one) for one in stored["changes"]),
    )


def keep(record: Record) -> None:
    """Write a record, together with what an earlier one of the conversation holds."""
    private_folder(_path("").parent)
    write_json(
        _path(record.conversation),
        {
            "pid": record.pid,
            "folders": [str(folder) for folder in record.folders],
            "changes": [
                {
                    "kind": one.kind,
                    "path": str(one.path),
                    "digest": one.digest,
                    "before": None if one.before is None else b64encode(one.before).decode(),
                    "rows": list(encoded(one.rows)),
                }
                for one in record.changes
            ],
        },
    )


def forget(conversation: str) -> None:
    """Drop the record, and the folder with its last."""
    _path(conversation).unlink(missing_ok=True)
    folder = _path("").parent
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _change(stored: dict[str, Any]) -> Change:
    before = stored["before"]
    return Change(
        stored["kind"],
        Path(stored["path"]),
        stored["digest"],
        None if before is None else b64decode(before),
        tuple(decoded(stored["rows"])),
    )
