"""The folder of one session of Mistral Vibe 3: the entries of its history, as they stand.

`CURRENT` names a generation, whose manifest names chunks (lists of entries, by their hash) and a
state that may hold the newest; what was said since then is in the journal. Read only; costs
O(the session), and a stat a file of its journal to know that nothing changed.

Tested in: tests/providers/vibe/test_files.py
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import UnreadableSessionError

from ..follow.append import read_plain
from ..follow.stamp import file_stamp
from ..formats.json_lines import as_dict, as_dicts, as_list, as_str, decode_lenient

CURRENT = "CURRENT"


class _Identified(msgspec.Struct):
    """What is looked at of an entry."""

    id: str = ""


class _Operation(msgspec.Struct):
    """A change of the history: an entry that is new, or takes the place of one."""

    entry: msgspec.Raw = msgspec.Raw(b"")


class _Delta(msgspec.Struct):
    delta: list[_Operation] = []


class _Record(msgspec.Struct):
    """A line of the journal."""

    type: str = ""
    payload: msgspec.Raw = msgspec.Raw(b"")


def store_stamp(folder: Path) -> tuple[int, ...]:
    """What tells that a session changed: the stamps of its pointer and its journal.

    Raises:
        OSError: the folder or its pointer is gone.
    """
    paths = [folder / CURRENT, *journal_files(folder)]
    return tuple(chain.from_iterable(map(file_stamp, paths)))


def journal_files(folder: Path) -> list[Path]:
    """The segments of a session's journal, in order."""
    return sorted((folder / "journal").glob("*.jsonl"))


def read_entries(folder: Path) -> list[bytes]:
    """Each entry's JSON as it is, in order; one that was amended as it is now.

    Raises:
        OSError: a file that is named is gone; a later look finds a newer generation.
        UnreadableSessionError: one is damaged.
    """
    generation = as_str(_document(folder / CURRENT).get("generation"))
    if not generation or "/" in generation or generation.startswith("."):
        raise UnreadableSessionError(f"{folder / CURRENT} names no generation")
    state = folder / "generations" / generation
    manifest = _document(state / "manifest.json")
    entries: dict[str, bytes] = {}
    for name in as_list(as_dict(manifest.get("projection_state")).get("chunks")):
        if isinstance(name, str) and name.isalnum():
            for entry in _list(folder / "chunks" / f"{name}.json"):
                _put(entries, entry)
    snapshot = as_dict(_document(state / "projection-state.json").get("snapshot"))
    for value in as_dicts(as_dict(snapshot.get("history")).get("entries")):
        _put(entries, msgspec.json.encode(value))
    first = as_str(as_dict(manifest.get("recovery_journal_segment")).get("path"))
    for segment in journal_files(folder):
        if segment.name >= Path(first).name:
            for entry in _journal(segment):
                _put(entries, entry)
    return list(entries.values())


def _put(entries: dict[str, bytes], entry: bytes) -> None:
    try:
        name = msgspec.json.decode(entry, type=_Identified).id
    except msgspec.DecodeError:
        name = ""
    entries[name or f"#{len(entries)}"] = entry.replace(b"\n", b" ")


def _journal(path: Path) -> Iterator[bytes]:
    """The entries that a segment of the journal tells; a last line that is cut is left for later."""
    for line in read_plain(path).splitlines():
        try:
            record = msgspec.json.decode(line, type=_Record)
            if record.type == "projection_delta":
                delta = msgspec.json.decode(record.payload, type=_Delta)
                yield from (bytes(one.entry) for one in delta.delta if bytes(one.entry))
        except msgspec.DecodeError:
            continue


def _document(path: Path) -> dict[str, Any]:
    document = as_dict(decode_lenient(read_plain(path)))
    if not document:
        raise UnreadableSessionError(f"{path} is no JSON document")
    return document


def _list(path: Path) -> list[bytes]:
    try:
        return [bytes(one) for one in msgspec.json.decode(read_plain(path), type=list[msgspec.Raw])]
    except msgspec.DecodeError as error:
        raise UnreadableSessionError(f"{path} is not a list of entries: {error}") from error
