"""What an agent needs to find its own conversation again: which files, where, and which entries.

A `Restorer` describes; it writes nothing. It gets what the archive holds of a conversation and the
agent's folder, and yields the items that must be there: files with their bytes, entries in an
index that other conversations share, rows of a database. An agent's folder holds its own Restorer,
if the default here is not enough: each archived file goes back to its place below that folder.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import uuid4

from .formats.json_lines import decode_lenient

Read = Callable[[], Iterator[bytes]]
"""The bytes of a file, from its first on, in pieces."""


class StoredFile(NamedTuple):
    """An archived file: where it was when it was read, and its bytes."""

    path: Path
    read: Read
    is_log: bool = True
    """Whether it is a session log; the others are files that stood next to one."""


class StoredSession(NamedTuple):
    """A conversation with its sub-agents, as the archive holds them."""

    native_id: str
    workspace: str
    """The project's folder as the agent saw it."""
    files: tuple[StoredFile, ...]
    folders: tuple[tuple[str, str], ...] = ()
    """Folders (old, new): what was below the old one is below the new one here."""
    copy_id: str = ""
    """The id of the copy to be made; empty for the conversation itself."""
    changed: float = 0.0
    """When it was last changed, in Unix seconds."""

    def here(self, folder: str) -> str:
        """A folder of that time as it is called here."""
        for old, new in self.folders:
            if folder == old or folder.startswith(f"{old.rstrip('/')}/"):
                return new.rstrip("/") + folder[len(old.rstrip("/")) :] or "/"
        return folder

    @property
    def folder(self) -> str:
        """The project's folder as it is called here."""
        return self.here(self.workspace)

    @property
    def id_here(self) -> str:
        """The id that the agent will know it by."""
        return self.copy_id or self.native_id


class FileItem(NamedTuple):
    """A file that must be there, with these bytes."""

    path: Path
    read: Read
    is_log: bool = True
    """Whether it is a session log; another file may have been changed by the agent since."""


class EntryItem(NamedTuple):
    """An entry in a file that other conversations share."""

    path: Path
    what: str
    """What is added, for people."""
    add: Callable[[bytes | None], bytes]
    """The file with the entry, from the file as it is; None: there is none. Unchanged bytes say
    that the entry is there."""


class Row(NamedTuple):
    """A row of a database; the columns of `key` tell which one it is."""

    table: str
    values: dict[str, Any]
    key: tuple[str, ...] = ("id",)
    shared: bool = False
    """Whether other conversations share it: one that is there stays as it is."""


class RowsItem(NamedTuple):
    """Rows that a database must have. Columns that it does not have are left out."""

    path: Path
    rows: tuple[Row, ...]
    how_to_make: str
    """The agent's command that makes the database where there is none."""


class MissingItem(NamedTuple):
    """Something that cannot be put back, and why."""

    what: str


Item = FileItem | EntryItem | RowsItem | MissingItem


class Restorer:
    """The default: files go back to their places below the agent's folder, byte for byte."""

    place = r"^$"
    """A pattern for a file's path; its first group is the part below the agent's folder."""
    needs = "its session file"
    """What is put back, for people."""
    copies = False
    """Whether a conversation can be put back as a copy with a new id."""
    moves = False
    """Whether it can be put back for another folder than it was held in."""
    root = 0
    """Which of the provider's roots is the agent's folder."""

    def companions(self, path: Path) -> Iterable[Path]:  # noqa: ARG002 - most agents have none
        """The files next to a session log that go with it; they may be missing."""
        return ()

    def items(self, session: StoredSession, root: Path) -> Iterator[Item]:
        """What must be there, in the order in which it is written: the session log last but entries."""
        files = sorted(session.files, key=lambda file: (file.is_log, -len(file.path.parts)))
        for file in files:
            below = self.below(file.path)
            if below is None:
                yield MissingItem(f"{file.path} is not in this agent's folder")
                continue
            target = self.target(below, session)
            if session.copy_id:
                target = renamed(target, session)
            yield FileItem(root / target, self.content(below, file.read, session), file.is_log)
        yield from self.entries(session, root)

    def below(self, path: Path) -> str | None:
        """The part of a path below the agent's folder."""
        text = str(path.with_suffix("") if path.suffix == ".zst" else path)
        match = re.search(self.place, text)
        return match.group(1) if match else None

    def target(self, below: str, session: StoredSession) -> str:  # noqa: ARG002 - for those that move
        """Where below the agent's folder a file goes, for the folder here."""
        return below

    def content(self, below: str, read: Read, session: StoredSession) -> Read:  # noqa: ARG002 - as above
        """The bytes of a file: as they are, except the id of a copy."""
        if not session.copy_id:
            return read
        pairs = [(session.native_id.encode(), session.copy_id.encode())]
        return lambda: replaced(read(), pairs)

    def entries(self, session: StoredSession, root: Path) -> Iterator[Item]:  # noqa: ARG002 - as above
        """Entries of indexes, written last."""
        return iter(())

    def new_id(self, session: StoredSession) -> str:  # noqa: ARG002 - as above
        """An id for a copy."""
        return str(uuid4())


def renamed(below: str, session: StoredSession) -> str:
    """A path with the id of the copy in place of the conversation's."""
    return below.replace(session.native_id, session.copy_id)


def replaced(pieces: Iterable[bytes], pairs: Iterable[tuple[bytes, bytes]]) -> Iterator[bytes]:
    """The bytes with the first of each pair replaced by the second, wherever they were cut."""
    wanted = [(old, new) for old, new in pairs if old != new]
    if not wanted:
        yield from pieces
        return
    pattern = re.compile(b"|".join(re.escape(old) for old, _ in wanted))
    new_of = dict(wanted)
    longest = max(len(old) for old, _ in wanted)
    rest = b""
    for piece in pieces:
        data, done, end = rest + piece, 0, 0
        out: list[bytes] = []
        for match in pattern.finditer(data):
            out += (data[done : match.start()], new_of[match.group()])
            done = match.end()
        end = max(done, len(data) - longest + 1)
        out.append(data[done:end])
        rest = data[end:]
        yield b"".join(out)
    yield rest


def with_field(pieces: Iterable[bytes], field: str, here: Callable[[Any], Any]) -> Iterator[bytes]:
    """Lines of JSON objects, in each of which `field` of the object itself is what `here` makes of it.

    Nothing else of a line changes, and a line in which the field stays the same is as it was.
    """
    for line in _whole_lines(pieces):
        yield _edited(line, field, here) if f'"{field}"'.encode() in line else line


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    for piece in pieces:
        first, *more = piece.split(b"\n")
        rest.append(first)
        for line in more:
            yield b"".join(rest) + b"\n"
            rest = [line]
    yield b"".join(rest)


def _edited(line: bytes, field: str, here: Callable[[Any], Any]) -> bytes:
    decoded = decode_lenient(line)
    if not isinstance(decoded, dict) or field not in decoded:
        return line
    record = cast("dict[str, Any]", decoded)
    old, new = record[field], here(record[field])
    if old == new:
        return line
    wanted = {**record, field: new}
    was, now = (
        json.dumps({field: value}, ensure_ascii=False, separators=(",", ":"))[1:-1].encode()
        for value in (old, new)
    )
    edited = line.replace(was, now, 1)
    if decode_lenient(edited) == wanted:
        return edited
    end = b"\n" if line.endswith(b"\n") else b""
    return json.dumps(wanted, ensure_ascii=False, separators=(",", ":")).encode() + end


def with_document(read: Read, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Read:
    """A file that is one JSON object, as `edit` makes it; its bytes as they are if that is the same."""

    def changed() -> Iterator[bytes]:
        data = b"".join(read())
        decoded = decode_lenient(data)
        if not isinstance(decoded, dict):
            yield data
            return
        was = cast("dict[str, Any]", decoded)
        now = edit(was)
        indent = 2 if data.startswith(b"{\n") else None
        separators = None if indent else (",", ":")
        end = b"\n" if data.endswith(b"\n") else b""
        text = json.dumps(now, ensure_ascii=False, indent=indent, separators=separators)
        yield data if now == was else text.encode("utf-8", "surrogatepass") + end

    return changed


def dashed(folder: str) -> str:
    """A folder as some agents name theirs after it: a dash for all but letters and digits."""
    return re.sub(r"[^a-zA-Z0-9]", "-", folder)
