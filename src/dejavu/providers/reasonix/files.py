"""Reasonix: messages of OpenAI's form, a JSONL file a session; in 1.x frames of events.

Reads `sessions/*.jsonl` and `events.frames` below `${REASONIX_STATE_HOME:-~/.reasonix}`. A frame is
`RX4F`, two lengths, and a record packed with zstd; events come in batches, and a batch without an
end is still being written. The raw stream has each record as one line. (Form: public descriptions
of 1.38, September 2026.)

Tested in: tests/providers/test_recordings.py
"""

import base64
import binascii
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import Role

from ..entry_parsers import Entries, LineEntries
from ..follow.append import open_plain
from ..follow.stamp import is_unchanged, stamp_of
from ..formats.entries import Entry, Session, entry, first_str, time_of
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..formats.long_lines import longest_line
from ..parsing import RecordParser
from ..protocol import Cursor, Kind, RawDelta, Source
from ..store_provider import StoreProvider, document_beside
from . import AGENT

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MAGIC, _HEADER = b"RX4F", 12
_SILENT = frozenset({"batch/begin", "batch/end"})


class ReasonixParser(LineEntries):
    """A session's lines."""

    repeats = False

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message; what the host wrote in a person's place is set apart."""
        content = record.get("raw_content") or record.get("content")
        time = record.get("createdAt") or record.get("timestamp")
        said = entry({**record, "content": content, "timestamp": time}, "reasonix", self._strange)
        if said is None:
            return None
        host = (
            record.get("host_authored")
            or record.get("origin") == "host"
            or record.get("local_only")
        )
        return [said._replace(role=Role.SYSTEM) if host and said.role is Role.USER else said]


class ReasonixEventsParser(ReasonixParser):
    """A session's events: messages are added, replaced and taken back."""

    def entries(self, record: dict[str, Any]) -> Entries:
        """One event."""
        kind = first_str(record, "type", "kind")
        payload = _payload(record.get("payload"))
        if kind in ("message/complete", "message/upsert"):
            message = as_dict(payload.get("message"))
            return super().entries(message) if message else None
        if kind in ("history/replace", "legacy/import"):
            told: list[Entry | Session] = []
            for message in as_dicts(payload.get("messages")):
                told += super().entries(message) or []
            return told if not len(self._main()) else []
        if kind == "session/title":
            return [Session(first_str(payload, "title"))]
        return [] if kind in _SILENT else None


def _payload(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            return as_dict(decode_lenient(base64.b64decode(value, validate=True)))
        except (binascii.Error, ValueError):
            return as_dict(decode_lenient(value.encode("utf-8", "replace")))
    return as_dict(value)


class _Mark(msgspec.Struct, array_like=True, frozen=True):
    """The cursor: how far the frames were read, the stream's offset, the file's stamp."""

    position: int = 0
    offset: int = 0
    size: int = -1
    mtime: int = 0
    ctime: int = 0
    inode: int = 0


def follow_frames(source: Source, since: Cursor | None) -> Iterator[RawDelta]:
    """The records of whole frames after the cursor. A frame that is damaged ends the reading."""
    mark = _Mark() if since is None else msgspec.msgpack.decode(since, type=_Mark)
    with os.fdopen(open_plain(source.path), "rb") as file:
        status = os.fstat(file.fileno())
        if is_unchanged(status, mark):
            return
        reset = status.st_size < mark.position
        mark = _Mark() if reset else mark
        file.seek(mark.position)
        position, data = mark.position, b""
        while (header := file.read(_HEADER))[:4] == _MAGIC and len(header) == _HEADER:
            packed, size = (int.from_bytes(header[at : at + 4], "big") for at in (4, 8))
            frame = file.read(packed) if max(packed, size) <= longest_line() else b""
            if len(frame) < packed or not packed:
                break
            try:
                record = zstd.ZstdDecompressor().decompress(frame, size)
            except zstd.ZstdError:
                break
            position += _HEADER + packed
            data += record.replace(b"\n", b" ") + b"\n"
    cursor = _Mark(position, mark.offset + len(data), *stamp_of(status))
    yield RawDelta(mark.offset, data, msgspec.msgpack.encode(cursor), reset)


class Reasonix(StoreProvider):
    """Provider of both generations."""

    def native_id(self, path: Path) -> str:
        """The file's name, or its folder's."""
        return path.parent.name if path.suffix == ".frames" else path.name.partition(".")[0]

    def kind(self, path: Path) -> Kind:  # noqa: ARG002 - both grow at their end
        """Both are logs."""
        return Kind.APPEND

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """Frames, or lines."""
        if source.path.suffix == ".frames":
            return follow_frames(source, since)
        return super().follow(source, since)

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the form the session has."""
        return ReasonixEventsParser if source.path.suffix == ".frames" else ReasonixParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """Folder, title and beginning, of the description next to the session."""
        path = source.path
        description = (
            path.with_name("header.json")
            if path.suffix == ".frames"
            else path.with_name(f"{path.name}.meta")
        )
        head = as_dict(document_beside(description))
        facts = {
            "workspace": first_str(head, "cwd", "workspace_root", "workspace"),
            "title": first_str(head, "custom_title", "topic_title", "name", "title"),
            "began": time_of(head.get("created_at") or head.get("createdAt")),
        }
        return {
            **stored,
            **{
                name: fact
                for name, fact in facts.items()
                if as_str(fact) or isinstance(fact, float)
            },
        }


PROVIDER = Reasonix(AGENT)
