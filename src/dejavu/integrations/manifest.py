"""What was done to which file, and the bytes that were there before.

One record a file, kept 0600 in `install/` of the data folder. A record says the digest of what we
left, so that it can be told whether anybody touched the file since, and which folders were made for
it. O(files registered).
"""

from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.files import naming, read_json, replace_file, write_json
from dejavu.config.paths import data_home, private_folder


class Record(NamedTuple):
    """One file. `before` None: there was none."""

    agent: str
    path: Path
    before: bytes | None
    written: str
    """Digest of what we wrote."""
    folders: tuple[str, ...] = ()
    """Folders that were made, the outermost first."""


def digest(data: bytes) -> str:
    """What `Record.left` holds."""
    return sha256(data).hexdigest()


def folder() -> Path:
    """Where the manifest is."""
    return data_home() / "install"


def records() -> dict[Path, Record]:
    """All files we have changed, by path."""
    by_path: dict[Path, Record] = {}
    for name, entry in read_json(folder() / "ledger.json").items():
        path = Path(name)
        copy = folder() / "before" / _name(path)
        before = copy.read_bytes() if entry["existed"] else None
        folders = tuple(entry["made"])
        by_path[path] = Record(entry["agent"], path, before, entry["left"], folders)
    return by_path


def keep(record: Record) -> None:
    """Write a record down, before the file itself is changed."""
    before = folder() / "before" / _name(record.path)
    with naming(before):
        private_folder(before.parent)
        if record.before is not None:
            replace_file(before, record.before)
    _change({str(record.path): record})


def forget(path: Path) -> None:
    """The file is as it was, or without us: strike it out, and the manifest with its last record."""
    (folder() / "before" / _name(path)).unlink(missing_ok=True)
    if not _change({str(path): None}):
        (folder() / "ledger.json").unlink(missing_ok=True)
        for empty in (folder() / "before", folder()):
            if empty.is_dir() and not any(empty.iterdir()):
                empty.rmdir()


def hand_over(folders: list[str]) -> None:
    """Folders that could not be removed yet: another file in them is to see to it."""
    for path, record in records().items():
        inside = [name for name in folders if path.is_relative_to(name)]
        if inside:
            _change({str(path): record._replace(folders=(*inside, *record.folders))})
            return


def _change(changes: dict[str, Record | None]) -> dict[str, Any]:
    entries: dict[str, Any] = read_json(folder() / "ledger.json")
    for name, record in changes.items():
        if record is None:
            entries.pop(name, None)
        else:
            entries[name] = {
                "agent": record.agent,
                "existed": record.before is not None,
                "left": record.written,
                "made": list(record.folders),
            }
    write_json(folder() / "ledger.json", entries)
    return entries


def _name(path: Path) -> str:
    return digest(str(path).encode("utf-8", "surrogateescape"))[:32]
